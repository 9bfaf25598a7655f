import ParleyClient
import ParleyCrypto
import ParleyProtocol

extension ChatMessage {
    /// The message as one JSON object: its header's fields under the protocol's names (§3), and `content`, `system`, or
    /// an `error` that says why it could not be opened. `protection` is there where it is not `bound`.
    var json: [UInt8] {
        JSONWriter.object { object in
            object.member("id", id)
            object.member("conversation_id", conversation)
            object.member("epoch", position?.epoch)
            object.member("seq", position?.seq)
            object.member("kind", kind.name)
            object.member("target_id", target)
            object.member("sender_id", sender.user)
            object.member("sender_device_id", sender.device)
            object.member("message_type", type.name)
            object.member("suite", suite?.name)
            if protection != .bound { object.member("protection", protection.rawValue) }
            object.member("reply_to", replyTo)
            object.member("expires_at", expiresAt)
            object.member("created_at", createdAt)
            writeContent(to: &object)
            if let editedAt { object.member("edited_at", editedAt) }
            if !reactions.isEmpty {
                object.key("reactions")
                object.object { members in
                    for (user, emoji) in reactions.sorted(by: { $0.key < $1.key }) {
                        members.key(user)
                        members.value(emoji)
                    }
                }
            }
        }
    }

    private func writeContent(to object: inout JSONWriter) {
        switch content {
        case .opened(let content): object.member("content", raw: content.json)
        case .removed: object.member("content", raw: nil)
        case .system(let notice):
            object.key("system")
            notice.write(to: &object)
        case .unreadable(let failure):
            object.member("error") { error in
                error.member("code", failure.code)
                error.member("message", failure.description)
            }
        }
    }

    /// The message as a line for people, whatever it contains.
    ///
    /// - Parameter place: what the conversation is called in it.
    func readableLine(in zone: TimeZone, _ place: String? = nil) -> String {
        let lines = text.printableLines.joined(separator: " ↵ ")
        return
            "\(zone.civil(createdAt).stamp) \(place?.printable ?? conversation.short) \(sender): \(lines)"
    }
}
