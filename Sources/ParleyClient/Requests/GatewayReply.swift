import ParleyProtocol

/// The gateway's reply to a request (protocol §4).
public struct GatewayReply: Hashable, Sendable {
    /// The JSON as it came.
    public let payload: [UInt8]
    /// `nil` if the request was accepted.
    public let rejection: Rejection?

    public var isAccepted: Bool { rejection == nil }

    public var data: JSONObject? {
        guard let object = try? JSONObject(parsing: payload) else { return nil }
        return try? object.object("data")
    }

    /// - Returns: `nil` if the payload is not a reply.
    package init?(payload: [UInt8]) {
        guard let object = try? JSONObject(parsing: payload), let isAccepted = try? object.bool("ok") else {
            return nil
        }
        self.payload = payload
        guard !isAccepted else {
            rejection = nil
            return
        }
        guard let error = try? object.object("error") else { return nil }
        rejection = Rejection(reply: error)
    }

    /// The reply to a message whose echo has come.
    init(_ sent: SentMessage) {
        var writer = JSONWriter()
        Reply.writeAccepted(nil, to: &writer) { sent.write(to: &$0) }
        payload = writer.finish()
        rejection = nil
    }

    /// A refusal by the broker, or in its place, as a reply.
    init(_ rejection: Rejection) {
        var writer = JSONWriter()
        Reply.writeRejected(nil, rejection, to: &writer)
        payload = writer.finish()
        self.rejection = rejection
    }
}

extension Rejection {
    /// Reads the `error` of a reply. An unknown code becomes `internal`.
    fileprivate init(reply error: JSONObject) {
        self.init(
            (try? error.choice("code")) ?? .internal, (try? error.text("message", maximum: 4096)) ?? "",
            retryAfterMilliseconds: try? error.integer("retry_after_ms", in: 0...Int(Int32.max)),
            devices: Rejection.difference(error))
    }

    private static func difference(_ error: JSONObject) -> DeviceDifference? {
        guard error.has("missing") || error.has("extra") else { return nil }
        return DeviceDifference(missing: addresses(error, "missing"), extra: addresses(error, "extra"))
    }

    private static func addresses(_ error: JSONObject, _ name: String) -> [DeviceAddress] {
        let objects = (try? error.objects(name, maximum: .max)) ?? []
        return objects.compactMap { try? DeviceAddress(members: $0) }
    }
}
