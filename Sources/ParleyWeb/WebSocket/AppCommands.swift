import NIOCore
import ParleyProtocol

/// A message of an app on its WebSocket: `{"type":…,"data":…}`.
struct AppCommands: Sendable {
    private enum Kind: String, CaseIterable {
        case typingStart = "typing.start"
        case typingStop = "typing.stop"
        /// Everything after the positions that `data` names: `sync/get` (protocol §5).
        case resume
    }

    let session: SessionHandle

    /// Carries out one message; an event `error` reports its refusal.
    func take(_ message: [UInt8], from channel: any Channel) {
        do throws(Rejection) {
            let object = try AppCommands.object(message)
            let kind = try object.choice("type", as: Kind.self)
            guard let kind else { throw Rejection(.badRequest, "type: missing") }
            let data = try object.json("data", maximumBytes: message.count) ?? Array("{}".utf8)
            switch kind {
            // Typing has no reply, over MQTT neither.
            case .typingStart: session.publish(StartTyping.operation, data)
            case .typingStop: session.publish(StopTyping.operation, data)
            case .resume: resume(data, channel)
            }
        } catch {
            AppCommands.send(AppCommands.event(of: error), to: channel)
        }
    }

    private static func object(_ message: [UInt8]) throws(Rejection) -> JSONObject {
        do throws(JSONError) {
            return try JSONObject(parsing: message)
        } catch {
            throw Rejection(.badRequest, "The message is not a JSON object.")
        }
    }

    private func resume(_ data: [UInt8], _ channel: any Channel) {
        let reply = channel.eventLoop.makePromise(of: [UInt8].self)
        session.request(SyncRequest.operation, data, reply)
        reply.futureResult.whenComplete { result in
            switch result {
            case .success(let reply): AppCommands.send(AppCommands.event(ofReply: reply), to: channel)
            case .failure(let error):
                let end = error as? SessionEnd ?? .unavailable
                AppCommands.send(AppCommands.event(of: end.rejection), to: channel)
            }
        }
    }

    private static func send(_ event: [UInt8], to channel: any Channel) {
        channel.writeAndFlush(EventSocketHandler.Command.send([event]), promise: nil)
    }

    private static func event(ofReply reply: [UInt8]) -> [UInt8] {
        guard let object = try? JSONObject(parsing: reply) else { return event(of: .internalFault) }
        if let data = try? object.json("data", maximumBytes: reply.count) { return event("resume", data) }
        guard let error = try? object.json("error", maximumBytes: reply.count) else { return event(of: .internalFault) }
        return event("error", error)
    }

    private static func event(of rejection: Rejection) -> [UInt8] {
        var writer = JSONWriter()
        writer.event("error") { data in
            data.object { Reply.writeError(rejection, to: &$0) }
        }
        return writer.finish()
    }

    private static func event(_ type: String, _ data: [UInt8]) -> [UInt8] {
        var writer = JSONWriter()
        writer.event(type) { $0.raw(data) }
        return writer.finish()
    }
}
