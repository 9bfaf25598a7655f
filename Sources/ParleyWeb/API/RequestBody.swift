import ParleyProtocol

/// The body of a request, scanned once. Its members go on to the gateway as received.
struct RequestBody: Sendable {
    let object: JSONObject

    /// - Parameter bytes: empty for an object without members.
    init(_ bytes: [UInt8], of request: any Request.Type, contentType: String?) throws(APIRefusal) {
        try RequestBody.check(contentType, of: bytes)
        do throws(JSONError) {
            object = try JSONObject(
                parsing: bytes.isEmpty ? RequestBody.empty : bytes, MemberBound(requestOf: request))
        } catch {
            throw APIRefusal(Rejection(payload: error))
        }
    }

    /// Refuses a body of another type than JSON.
    static func check(_ contentType: String?, of body: [UInt8]) throws(APIRefusal) {
        guard !body.isEmpty, let contentType, !contentType.isEmpty else { return }
        let type = contentType.prefix { $0 != ";" }.filter { $0 != " " && $0 != "\t" }
        guard type.lowercased() == "application/json" else { throw .contentType }
    }

    static let empty = Array("{}".utf8)
    static let null = Array("null".utf8)

    /// A text that needs no escapes.
    static func text(_ text: String) -> [UInt8] { Array("\"\(text)\"".utf8) }

    /// The request's name, if it has the form that the gateway repeats.
    var requestID: RequestID? { try? object.requestID() }

    /// A member's value as received; `nil` if it is missing or `null`.
    func givenValue(_ name: String) -> [UInt8]? {
        guard object.has(name), let place = object.place(of: name) else { return nil }
        return Array(object.source[place])
    }

    func value(_ name: String) throws(APIRefusal) -> [UInt8] {
        guard let value = givenValue(name) else {
            throw APIRefusal(.badRequest(name, "missing"), requestID: requestID)
        }
        return value
    }

    /// Reads all fields.
    func check(_ request: any Request.Type) throws(APIRefusal) {
        do throws(Rejection) {
            _ = try object.requestID()
            _ = try request.init(members: object)
        } catch {
            throw APIRefusal(error, requestID: requestID)
        }
    }

    /// Refuses `"reply":"event"` of `messages/send`: an HTTP request has its reply, and hears no events.
    func refuseEchoAsReply() throws(APIRefusal) {
        guard let place = object.place(of: "reply"), object.has("reply") else { return }
        guard object.source.span.extracting(place).equals("\"message\"") else {
            throw APIRefusal(.badRequest("reply", "only message over HTTP"), requestID: requestID)
        }
    }

    /// The text with these members: each replaces the one of its name, or else stands before all others.
    func setting(_ members: [(name: String, json: [UInt8])]) -> [UInt8] {
        guard !members.isEmpty else { return object.source }
        var added: [UInt8] = []
        var replaced: [(place: Range<Int>, json: [UInt8])] = []
        var length = object.source.count
        for (name, json) in members {
            if let place = object.place(of: name) {
                replaced.append((place, json))
            } else {
                if !added.isEmpty { added.append(UInt8(ascii: ",")) }
                added.append(contentsOf: "\"\(name)\":".utf8)
                added.append(contentsOf: json)
            }
            length += name.utf8.count + json.count + 4
        }
        var text: [UInt8] = []
        text.reserveCapacity(length)
        var position = object.place.lowerBound + 1
        text.append(contentsOf: object.source[..<position])
        text.append(contentsOf: added)
        if !added.isEmpty, !object.isEmpty { text.append(UInt8(ascii: ",")) }
        for (place, json) in replaced.sorted(by: { $0.place.lowerBound < $1.place.lowerBound }) {
            text.append(contentsOf: object.source[position..<place.lowerBound])
            text.append(contentsOf: json)
            position = place.upperBound
        }
        text.append(contentsOf: object.source[position...])
        return text
    }
}
