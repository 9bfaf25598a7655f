import ParleyProtocol

/// The message object of protocol §5 for its own sender, made of parts of the request and of the gateway's reply.
struct AcceptedMessage: Sendable {
    /// The members of `messages/send`.
    let body: JSONObject
    /// As JSON.
    let suite: [UInt8]
    let sender: DeviceAddress

    /// - Parameter reply: the gateway's, with the message's position and time.
    /// - Returns: `nil` for a malformed reply.
    func json(_ reply: [UInt8]) -> [UInt8]? {
        guard let data = try? JSONObject(parsing: reply).object("data"),
            let sent = try? SentMessage(members: data)
        else { return nil }
        var writer = JSONWriter()
        writer.object(reserving: body.source.count + AcceptedMessage.envelopeBytes) { message in
            message.member("id", sent.id)
            message.member("conversation_id", raw: value("conversation_id"))
            message.member("epoch", sent.epoch)
            message.member("seq", sent.seq)
            message.member("kind", RecordKind.message.rawValue)
            message.member("target_id", raw: nil)
            message.member("sender_id", sender.user)
            message.member("sender_device_id", sender.device)
            message.member("message_type", raw: value("message_type"))
            message.member("suite", raw: suite)
            for name in ["encrypted_content", "nonce", "recipient_keys", "reply_to"] {
                message.member(name, raw: value(name))
            }
            message.member("expires_at", expiry(from: sent.createdAt))
            message.member("created_at", sent.createdAt)
            message.member("status", MessageStatus.sent.rawValue)
        }
        return writer.finish()
    }

    /// The approximate size of the reply's members, in bytes.
    private static let envelopeBytes = 512

    /// `nil` for a member that is missing or `null`.
    private func value(_ name: String) -> [UInt8]? {
        body.place(of: name).map { Array(body.source[$0]) }
    }

    private func expiry(from creation: Timestamp) -> Timestamp? {
        guard let seconds = try? body.integer("expires_in", in: Limits.expirySeconds) else { return nil }
        return creation.advanced(byMilliseconds: Int64(seconds) * 1000)
    }
}
