import ParleyCrypto
import ParleyProtocol

/// Lies about who has written: the attacker's words under somebody else's name.
package enum SenderLie: String, LieFamily {
    case anothersName, ghostSpeaks, ownGhostSpeaks, movedToAnother
    // In the form of old apps, which is bound to no header.
    case oldAppUnderAnothersName, oldAppRepeated, oldAppReflected, oldAppInGroup, oldAppAsEdit

    package var sentence: String {
        switch self {
        case .anothersName: "mallory's message comes under the name of the other's phone"
        case .ghostSpeaks: "a device more, which nobody has certified, writes in the other's name"
        case .ownGhostSpeaks: "a device more of the user's own, which nobody has linked, writes in the user's name"
        case .movedToAnother: "what the other has written elsewhere comes in this conversation"
        case .oldAppUnderAnothersName:
            "mallory's message, in an old app's form, comes under the name of the other's phone"
        case .oldAppRepeated: "what the other's old app has written at another time comes as a new message"
        case .oldAppReflected: "what the other's old app has written comes under the name of the user's own phone"
        case .oldAppInGroup: "what the other's old app has written to the user comes in a group of theirs"
        case .oldAppAsEdit: "what the other's old app has written comes as an edit of a message that is bound"
        }
    }

    package var way: Lie.Way { .event }

    /// What the attacker writes.
    package static let words = "in somebody else's name"
}

extension World {
    /// The message that is told.
    mutating func events(of lie: SenderLie, about partner: UserID, to device: DeviceAddress) throws -> [Publication] {
        let thread = try directThread(of: device.user, partner)
        let phone = DeviceAddress(user: partner, device: Person.phone)
        let ghost = DeviceID(validated: "ghost")
        if lie.isOfOldApp { return try oldAppEvents(of: lie, about: phone, in: thread, to: device) }
        var sender = phone
        var secret = attacker.identity
        var sealedIn = thread.id
        switch lie {
        case .anothersName, .oldAppUnderAnothersName, .oldAppRepeated, .oldAppReflected, .oldAppInGroup, .oldAppAsEdit:
            break
        case .ghostSpeaks: sender = DeviceAddress(user: partner, device: ghost)
        case .ownGhostSpeaks: sender = DeviceAddress(user: device.user, device: ghost)
        case .movedToAnother:
            guard let honest = people[partner]?.phone else { return [] }
            secret = honest
            sealedIn = .random()
        }
        return try write(SenderLie.words, by: sender, with: secret, in: thread, sealedIn: sealedIn, to: device)
    }

    /// Somebody honest writes to a device, in the conversation of the two.
    mutating func say(_ text: String, by user: UserID, to device: DeviceAddress) throws -> [Publication] {
        guard let phone = people[user]?.phone else { return [] }
        let thread = try directThread(of: user, device.user)
        return try write(text, by: phone.address, with: phone, in: thread, to: device)
    }

    /// Seals a text for a device and puts it into a log.
    ///
    /// - Parameter sealedIn: the conversation that the header names.
    mutating func write(
        _ text: String, by sender: DeviceAddress, with secret: OwnedDevice, in thread: TrueConversation,
        sealedIn: ConversationID? = nil, to device: DeviceAddress
    ) throws -> [Publication] {
        guard let record = try seal(text, by: sender, with: secret, in: thread, sealedIn: sealedIn, to: device) else {
            return []
        }
        return [append(record, to: thread)]
    }

    /// Seals a text for a device, as the next record of a log.
    ///
    /// - Returns: `nil` where the device has published no keys.
    mutating func seal(
        _ text: String, by sender: DeviceAddress, with secret: OwnedDevice, in thread: TrueConversation,
        sealedIn: ConversationID? = nil, to device: DeviceAddress
    ) throws -> MessageRecord? {
        guard let keys = published[device.user]?.devices.first(where: { $0.device == device.device }),
            let key = IdentityKey(keys.identityKey)
        else { return nil }
        let header = MessageHeader(
            suite: .x25519AESGCM, conversation: sealedIn ?? thread.id, id: .random(), sender: sender, type: .text)
        var cipher = MessageCipher(device: sender, current: secret.identity)
        var content = JSONWriter()
        content.object { $0.member("text", text) }
        let sealed = try cipher.seal(content.finish(), header, for: .devices([(device, key)]))
        return MessageRecord(
            id: header.id, conversation: thread.id, epoch: thread.epoch, seq: thread.lastSeq + 1, sender: sender,
            type: .known(.text), suite: .known(header.suite.suite), content: sealed.content, nonce: sealed.nonce,
            recipientKeys: sealed.recipientKeys, createdAt: tick())
    }
}
