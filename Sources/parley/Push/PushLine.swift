import ParleyClient
import ParleyProtocol

extension OpenedPush {
    /// A sentence for people, which is not printable yet.
    var sentence: String {
        switch content {
        case .message(let pushed):
            let verified = pushed.isSenderVerified ? " (verified)" : ""
            let read = pushed.isRead ? " (read already)" : ""
            return "\(pushed.sender)\(verified): \(pushed.message.text)\(read)"
        case .clear:
            if let message = position?.message { return "message \(message) is to be taken away" }
            return "what is shown of the conversation is to be taken away"
                + (position?.seq.map { ", up to number \($0)" } ?? "")
        case .digest: return "something has come in the quiet hours"
        case .test: return "a test: this device can be reached"
        case .wakeUp: return "something has come"
        case .feed(let notification): return notification.sentence()
        case .unopened(let reason): return "something has come (cannot be shown: \(reason))"
        }
    }

    /// A printable line for people.
    ///
    /// - Parameter latest: the badge of now.
    func line(in zone: TimeZone, _ latest: LatestBadge) -> String {
        let text = sentence.printableLines.joined(separator: " ↵ ")
        let leads = link.map { " → \($0)" } ?? ""
        return "\(zone.civil(createdAt).stamp) \(text)\(leads) [badge \(latest.count)]"
    }

    /// For programs.
    var json: [UInt8] {
        JSONWriter.object { object in
            object.member("id", id)
            object.member("type", typeName)
            object.member("conversation_id", position?.conversation)
            object.member("epoch", position?.epoch)
            object.member("seq", position?.seq)
            object.member("link", link?.description)
            object.member("badge", badge?.count)
            object.member("badge_at", badge?.at)
            object.member("created_at", createdAt)
            switch content {
            case .message(let pushed):
                object.member("is_verified", pushed.isSenderVerified)
                object.member("is_read", pushed.isRead)
                object.member("message", raw: pushed.message.json)
            case .feed(let notification): object.member("notification", raw: notification.json)
            case .unopened(let reason):
                object.member("error") { error in
                    error.member("code", reason.code)
                    error.member("message", reason.description)
                }
            case .clear, .digest, .test, .wakeUp: break
            }
        }
    }

    private var typeName: String? {
        switch content {
        case .message: PushType.message.rawValue
        case .clear: PushType.clear.rawValue
        case .digest: PushType.digest.rawValue
        case .test: PushType.test.rawValue
        case .wakeUp: PushType.wakeUp.rawValue
        case .feed(let notification): notification.type.name
        case .unopened: nil
        }
    }
}
