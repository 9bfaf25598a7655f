import ParleyCrypto
import ParleyProtocol
import Sodium
import Testing

@Suite("Who can open a message")
struct RecipientTests {
    let alice: Party
    let bob: Party
    let carol: Party

    init() throws {
        (alice, bob, carol) = (try .alice(), try .bob(), try .carol())
    }

    @Test("every device that it is sealed for, and the sender by any of their keys", arguments: Way.all)
    func recipients(way: Way) throws {
        let (message, header) = try alice.sealed(way.suite, for: way.addressing.recipients(bob, carol))
        let parties = way.addressing == .one ? [bob] : [bob, carol]
        for party in parties {
            #expect(try party.open(message, header, with: .ofSender([alice.key])) == hello)
            #expect(try alice.open(message, header, with: .ofRecipients([party.address: [party.key]])) == hello)
        }
    }

    @Test("not a device that it is not sealed for, as one of a member who was removed", arguments: Way.all)
    func removed(way: Way) throws {
        let (message, header) = try alice.sealed(way.suite, for: way.addressing.recipients(bob))
        var removed = carol.cipher()
        let expected: OpeningError = way.addressing == .one ? .notAuthentic : .notForThisDevice
        #expect(throws: expected) { try removed.open(message, header, with: .ofSender([alice.key])) }
        // Nor with what is sealed for another, put under its own name.
        guard let keys = message.recipientKeys else { return }
        let stolen = keys.map { RecipientKey(address: carol.address, encryptedKey: $0.encryptedKey) }
        #expect(throws: OpeningError.notAuthentic) {
            try removed.open(message.with(recipientKeys: stolen), header, with: .ofSender([alice.key]))
        }
    }

    @Test("sealed by nobody that is known: each other key is tried and none fits", arguments: Way.all)
    func otherSender(way: Way) throws {
        let header = try MessageHeader.full(way.suite, from: alice)
        var impostor = try Party("alice", "phone", first: 200).cipher()
        let message = try impostor.seal(hello, header, for: way.addressing.recipients(bob, carol))
        #expect(throws: OpeningError.notAuthentic) {
            try bob.open(message, header, with: .ofSender([alice.key, carol.key]))
        }
        #expect(throws: OpeningError.senderKeysUnknown) {
            try bob.open(message, header, with: .ofSender([]))
        }
    }

    @Test("a sender's and a recipient's earlier keys open what was sealed with them", arguments: Way.all)
    func retiredKeys(way: Way) throws {
        let (message, header) = try alice.sealed(way.suite, for: way.addressing.recipients(bob, carol))
        let (newAlice, newBob) = (try keyPair(first: 100), try keyPair(first: 140))
        var recipient = MessageCipher(
            device: bob.address, current: newBob, retired: [carol.keys, bob.keys])
        #expect(
            try recipient.open(message, header, with: .ofSender([newAlice.publicKey, alice.key])) == hello)
        var rotated = MessageCipher(
            device: alice.address, current: newAlice, retired: [alice.keys])
        #expect(
            try rotated.open(message, header, with: .ofRecipients([bob.address: [newBob.publicKey, bob.key]])) == hello)
        // Without the retired ones it stays shut.
        var forgetful = MessageCipher(device: bob.address, current: newBob)
        #expect(throws: OpeningError.notAuthentic) {
            try forgetful.open(message, header, with: .ofSender([newAlice.publicKey, alice.key]))
        }
    }

    @Test("new messages are sealed with the current key alone")
    func currentKey() throws {
        let header = try MessageHeader.full(.naclBox, from: alice)
        var sender = MessageCipher(device: alice.address, current: try keyPair(first: 100), retired: [alice.keys])
        #expect(sender.identityKey == (try keyPair(first: 100).publicKey))
        let message = try sender.seal(hello, header, for: .one(bob.key))
        #expect(throws: OpeningError.notAuthentic) {
            try bob.open(message, header, with: .ofSender([alice.key]))
        }
        #expect(try bob.open(message, header, with: .ofSender([sender.identityKey])) == hello)
    }

    @Test("reflected to its sender, as if the other had sent it, it fails", arguments: Way.all)
    func reflected(way: Way) throws {
        let header = try MessageHeader.full(way.suite, from: alice)
        var sender = alice.cipher()
        let message = try sender.seal(hello, header, for: way.addressing.recipients(bob, carol))
        var reflected = header
        reflected.sender = bob.address
        let keys = message.recipientKeys?.map { RecipientKey(address: alice.address, encryptedKey: $0.encryptedKey) }
        let mirrored = message.with(recipientKeys: keys)
        #expect(throws: OpeningError.self) {
            try sender.open(mirrored, reflected, with: .ofSender([bob.key]))
        }
        // Nor is a message of one's own taken for another's, or another's for one's own.
        #expect(throws: OpeningError.malformed) { try sender.open(mirrored, header, with: .ofSender([bob.key])) }
        #expect(throws: OpeningError.malformed) {
            try sender.open(mirrored, reflected, with: .ofRecipients([bob.address: [bob.key]]))
        }
    }

    @Test("a device that is named with 16 zero bytes was left out, and says so", arguments: Way.all)
    func leftOut(way: Way) throws {
        guard way.addressing == .devices else { return }
        let header = try MessageHeader.full(way.suite, from: alice)
        var sender = alice.cipher()
        let message = try sender.seal(hello, header, for: .devices([(bob.address, bob.key)]))
        let keys = (message.recipientKeys ?? []) + [.leftOut(carol.address, keyID: carol.key.id)]
        let named = message.with(recipientKeys: keys)
        #expect(keys.map(\.isLeftOut) == [false, true])
        var (one, other) = (bob.cipher(), carol.cipher())
        #expect(try one.open(named, header, with: .ofSender([alice.key])) == hello)
        #expect(throws: OpeningError.leftOut) { try other.open(named, header, with: .ofSender([alice.key])) }
        // The sender opens it by those it was sealed for, and not by those it was not.
        let known = [carol.address: [carol.key], bob.address: [bob.key]]
        #expect(try sender.open(named, header, with: .ofRecipients(known)) == hello)
        #expect(throws: OpeningError.senderKeysUnknown) {
            try sender.open(named, header, with: .ofRecipients([carol.address: [carol.key]]))
        }
    }

    @Test("a member who was given the content key cannot put other words under the sender's name", arguments: Way.all)
    func commitment(way: Way) throws {
        guard way.addressing == .devices else { return }
        let header = try MessageHeader.full(way.suite, from: alice)
        // Bob knows the content key, having opened Alice's message: it is the same in both, and the nonces are not.
        let key = way.suite.nonceLength..<way.suite.nonceLength + 32
        var sender = alice.cipher { (0..<$0).map { key.contains($0) ? 7 : 1 } }
        let message = try sender.seal(
            hello, header, for: .devices([(bob.address, bob.key), (carol.address, carol.key)]))
        var forger = alice.cipher { (0..<$0).map { key.contains($0) ? 7 : 2 } }
        let forged = try forger.seal(
            Array(#"{"text":"Forged"}"#.utf8), header, for: .devices([(bob.address, bob.key)]))
        // Carol gets Bob's words with what Alice has sealed for her, which holds the key to them.
        let mixed = forged.with(recipientKeys: message.recipientKeys)
        #expect(throws: OpeningError.notAuthentic) {
            try carol.open(mixed, header, with: .ofSender([alice.key]))
        }
        #expect(try carol.open(message, header, with: .ofSender([alice.key])) == hello)
    }
}
