import ParleyCrypto
import ParleyProtocol
import Sodium

// Lies with what somebody has sealed in the form of old apps.

extension SenderLie {
    var isOfOldApp: Bool {
        switch self {
        case .anothersName, .ghostSpeaks, .ownGhostSpeaks, .movedToAnother: false
        case .oldAppUnderAnothersName, .oldAppRepeated, .oldAppReflected, .oldAppInGroup, .oldAppAsEdit: true
        }
    }
}

extension World {
    /// - Parameters:
    ///   - phone: the other's, whose keys the client knows.
    ///   - thread: of the two.
    mutating func oldAppEvents(
        of lie: SenderLie, about phone: DeviceAddress, in thread: TrueConversation, to device: DeviceAddress
    ) throws -> [Publication] {
        guard let honest = people[phone.user]?.phone else { return [] }
        var (place, secret, sender) = (thread, honest, phone)
        var events: [Publication] = []
        var target: MessageID?
        switch lie {
        case .anothersName, .ghostSpeaks, .ownGhostSpeaks, .movedToAnother, .oldAppRepeated: break
        case .oldAppUnderAnothersName: secret = attacker.identity
        case .oldAppReflected: sender = device
        case .oldAppInGroup:
            let group = threads.values.first { $0.type == .group && $0.members.contains(phone.user) }
            guard let group, group.members.contains(device.user) else { return [] }
            place = group
        case .oldAppAsEdit:
            guard let bound = try seal("bound", by: phone, with: honest, in: thread, to: device) else { return [] }
            events.append(append(bound, to: thread))
            place = threads[thread.id] ?? thread
            target = bound.id
        }
        guard let sealed = try sealAsOldApp(SenderLie.words, with: secret, to: device) else { return [] }
        let record = MessageRecord(
            id: .random(), conversation: place.id, epoch: place.epoch, seq: place.lastSeq + 1,
            kind: .known(target == nil ? .message : .edit), target: target, sender: sender, type: .known(.text),
            suite: .known(.legacyNaClBox), content: sealed.content, nonce: sealed.nonce, createdAt: tick())
        return events + [append(record, to: place)]
    }

    /// A text as an old app seals it: `crypto_box` of the content, and nothing else.
    func sealAsOldApp(
        _ text: String, with secret: OwnedDevice, to device: DeviceAddress
    ) throws -> (content: [UInt8], nonce: [UInt8])? {
        guard let keys = published[device.user]?.devices.first(where: { $0.device == device.device }) else {
            return nil
        }
        let key = try Box.SharedKey(
            between: X25519.SecretKey(secret.identity.secret), and: X25519.PublicKey(keys.identityKey))
        let nonce = try RandomBytes.make(count: Box.nonceLength)
        let content = JSONWriter.object { $0.member("text", text) }
        return (try key.seal(content.span, nonce: nonce.span), nonce)
    }
}
