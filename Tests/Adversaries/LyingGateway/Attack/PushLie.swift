import ParleyProtocol

/// Lies in what is pushed: the attacker's words under somebody else's name, or another's words elsewhere.
package enum PushLie: String, LieFamily {
    case pushedUnderAnothersName, ghostPushed, pushedElsewhere, pushedAsAnother, oldAppPushed

    package var sentence: String {
        switch self {
        case .pushedUnderAnothersName: "mallory's message is pushed under the name of the other's phone"
        case .ghostPushed: "a message of a device more, which nobody has certified, is pushed in the other's name"
        case .pushedElsewhere: "what the other has written elsewhere is pushed as of this conversation"
        case .pushedAsAnother: "a message is pushed as another one than it is"
        case .oldAppPushed: "what the other's old app has written at another time is pushed as a new message"
        }
    }

    package var way: Lie.Way { .event }
}

extension World {
    /// The message that is pushed, and is in no log.
    mutating func events(of lie: PushLie, about partner: UserID, to device: DeviceAddress) throws -> [Publication] {
        let thread = try directThread(of: device.user, partner)
        let phone = DeviceAddress(user: partner, device: Person.phone)
        let ghost = DeviceAddress(user: partner, device: DeviceID(validated: "ghost"))
        guard let honest = people[partner]?.phone else { return [] }
        let record =
            switch lie {
            case .pushedUnderAnothersName, .pushedAsAnother:
                try seal(SenderLie.words, by: phone, with: attacker.identity, in: thread, to: device)
            case .ghostPushed: try seal(SenderLie.words, by: ghost, with: attacker.identity, in: thread, to: device)
            case .pushedElsewhere:
                try seal(SenderLie.words, by: phone, with: honest, in: thread, sealedIn: .random(), to: device)
            case .oldAppPushed:
                try sealAsOldApp(SenderLie.words, with: honest, to: device).map { sealed in
                    MessageRecord(
                        id: .random(), conversation: thread.id, epoch: thread.epoch, seq: thread.lastSeq + 1,
                        sender: phone, type: .known(.text), suite: .known(.legacyNaClBox), content: sealed.content,
                        nonce: sealed.nonce, createdAt: tick())
                }
            }
        guard let record else { return [] }
        let subject = NotificationSubject(
            conversation: thread.id, seq: lie == .pushedAsAnother ? record.seq + 1 : record.seq, message: record.id)
        let push = PushNotification(
            id: .random(), type: .known(.message), user: device.user, device: device.device, actor: partner,
            subject: subject, epoch: thread.epoch, badge: .counted(1), badgeAt: now, createdAt: now,
            expiresAt: .latest, message: record)
        return [Publication(.user(device.user, .notifications), .everybody) { push.writeEvent(to: &$0) }]
    }
}
