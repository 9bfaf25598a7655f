import ParleyProtocol

/// The message object of protocol §5 for its own sender.
enum AcceptedMessage {
    /// - Parameters:
    ///   - reply: the gateway's, with the message's position and time.
    ///   - payload: of the request.
    /// - Returns: `nil` for a malformed reply.
    static func json(_ reply: [UInt8], to payload: [UInt8], from sender: DeviceAddress) -> [UInt8]? {
        guard let data = try? JSONObject(parsing: reply).object("data"),
            let sent = try? SentMessage(members: data),
            let request = try? JSONObject(parsing: payload), let message = try? SendMessage(members: request)
        else { return nil }
        var writer = JSONWriter()
        MessageRecord(message, sender: sender, epoch: sent.epoch, seq: sent.seq, createdAt: sent.createdAt)
            .write(to: &writer, status: .sent)
        return writer.finish()
    }
}
