import ParleyCrypto
import ParleyProtocol
import TestSupport
import Testing

/// The figures were computed with OpenSSL and PyNaCl.
@Suite("Messages of the two earlier forms")
struct LegacyMessageTests {
    let alice: Party
    let bob: Party
    static let fitLink = "000102030405060708090a0b30723522377d462c726a8abcf0b896a99d8f0d98a115efa9f06afb2861a9cc4e"
    static let salted = "7df2c9329a215fa4a9fd359221e80ff6ff99bb346e48d54d3547bdc87911a256"
    static let naclBox = "8a8742cd661cfd6085d4faf0252da29a69d7af3c22495fe8dbba246f932d33c0"

    init() throws {
        (alice, bob) = (try .alice(), try .bob())
    }

    @Test("legacy-fitlink opens at either side")
    func fitLink() throws {
        let message = try LegacyMessage(form: .fitLink, combined: hex(Self.fitLink))
        #expect(try message.open(with: bob.keys, and: alice.key.bytes) == hello)
        #expect(try message.open(with: alice.keys, and: bob.key.bytes) == hello)
        let salted = LegacyMessage(form: .fitLink, nonce: Array(0..<12), sealed: hex(Self.salted))
        #expect(
            try salted.open(with: bob.keys, and: alice.key.bytes, salt: Array("salt".utf8)) == hello)
        #expect(throws: OpeningError.notAuthentic) {
            try salted.open(with: bob.keys, and: alice.key.bytes)
        }
    }

    @Test("legacy-nacl-box opens at either side, with its nonce beside it or before it")
    func naclBox() throws {
        let beside = LegacyMessage(form: .naclBox, nonce: Array(0..<24), sealed: hex(Self.naclBox))
        let before = try LegacyMessage(form: .naclBox, combined: Array(0..<24) + hex(Self.naclBox))
        #expect(beside == before)
        #expect(try beside.open(with: bob.keys, and: alice.key.bytes) == hello)
        #expect(try beside.open(with: alice.keys, and: bob.key.bytes) == hello)
    }

    @Test("every bit flipped makes it fail", arguments: LegacyMessage.Form.allCases)
    func bitFlips(form: LegacyMessage.Form) throws {
        let combined =
            switch form {
            case .fitLink: hex(Self.fitLink)
            case .naclBox: Array(0..<24) + hex(Self.naclBox)
            }
        for bit in 0..<combined.count * 8 {
            let message = try LegacyMessage(form: form, combined: combined.flipping(bit))
            #expect(throws: OpeningError.notAuthentic, "bit \(bit)") {
                try message.open(with: bob.keys, and: alice.key.bytes)
            }
        }
    }

    @Test(
        "wrong lengths are malformed, keys of low order weak, other keys do not open",
        arguments: LegacyMessage.Form.allCases)
    func refusals(form: LegacyMessage.Form) throws {
        for count in 0..<form.nonceLength + 16 {
            #expect(throws: OpeningError.malformed) {
                try LegacyMessage(form: form, combined: [UInt8](repeating: 0, count: count))
            }
        }
        for (nonce, sealed) in [(form.nonceLength - 1, 32), (form.nonceLength + 1, 32), (form.nonceLength, 15)] {
            let message = LegacyMessage(
                form: form, nonce: [UInt8](repeating: 0, count: nonce), sealed: [UInt8](repeating: 0, count: sealed))
            #expect(throws: OpeningError.malformed) { try message.open(with: bob.keys, and: alice.key.bytes) }
        }
        let message = try LegacyMessage(form: form, combined: [UInt8](repeating: 0, count: 60))
        #expect(throws: OpeningError.malformed) { try message.open(with: bob.keys, and: [1, 2, 3]) }
        #expect(throws: OpeningError.weakKey) {
            try message.open(with: bob.keys, and: [UInt8](repeating: 0, count: 32))
        }
        #expect(throws: OpeningError.notAuthentic) { try message.open(with: bob.keys, and: alice.key.bytes) }
    }

    // MARK: From the gateway

    private static let nonce = [UInt8](0..<24)

    @Test("a device opens what the other side's old app has sealed, with any known key of either side")
    func delivered() throws {
        let sealed = hex(Self.naclBox)
        let (carol, stranger) = (try Party.carol(), try Party("mallory", "phone", first: 97))
        var cipher = bob.cipher()
        #expect(try cipher.openLegacy(sealed, nonce: Self.nonce, with: [carol.key, alice.key]) == hello)
        var rotated = MessageCipher(device: bob.address, current: carol.keys, retired: [bob.keys])
        #expect(try rotated.openLegacy(sealed, nonce: Self.nonce, with: [alice.key]) == hello)
        // The key is the same in both directions: whoever delivers it may turn it round.
        var sender = alice.cipher()
        #expect(try sender.openLegacy(sealed, nonce: Self.nonce, with: [bob.key]) == hello)
        #expect(throws: OpeningError.notAuthentic) {
            try cipher.openLegacy(sealed, nonce: Self.nonce, with: [stranger.key])
        }
        #expect(throws: OpeningError.senderKeysUnknown) {
            try cipher.openLegacy(sealed, nonce: Self.nonce, with: [])
        }
    }

    @Test("what is too short, too long or changed does not open, and no more than 256 pairs of keys are tried")
    func deliveredRefusals() throws {
        let sealed = hex(Self.naclBox)
        var cipher = bob.cipher()
        func refusal(_ sealed: [UInt8], _ nonce: [UInt8] = Self.nonce) -> OpeningError? {
            do throws(OpeningError) {
                _ = try cipher.openLegacy(sealed, nonce: nonce, with: [alice.key])
                return nil
            } catch {
                return error
            }
        }
        #expect(refusal(sealed, Array(0..<12)) == .malformed)
        #expect(refusal([]) == .malformed && refusal([UInt8](repeating: 0, count: 15)) == .malformed)
        #expect(refusal([UInt8](repeating: 0, count: Limits.contentBytes + 1)) == .malformed)
        for bit in 0..<sealed.count * 8 { #expect(refusal(sealed.flipping(bit)) == .notAuthentic, "bit \(bit)") }
        let others = try (0..<MessageCipher.attempts).map { _ in try IdentityKeyPair.generate().publicKey }
        #expect(throws: OpeningError.notAuthentic) {
            try cipher.openLegacy(sealed, nonce: Self.nonce, with: others + [alice.key])
        }
    }

    @Test("nothing that is sealed in one form is content in the other")
    func domains() throws {
        let (message, header) = try alice.sealed(.naclBox, for: .one(bob.key))
        var cipher = bob.cipher()
        let opened = try cipher.openLegacy(message.content, nonce: message.nonce, with: [alice.key])
        // The lengths of header fields: neither JSON nor text.
        #expect(opened.contains(0) && (try? JSONObject(parsing: opened)) == nil)
        let legacy = SealedMessage(suite: .naclBox, nonce: Self.nonce, content: hex(Self.naclBox), recipientKeys: nil)
        #expect(throws: OpeningError.headerMismatch) { try bob.open(legacy, header, with: .ofSender([alice.key])) }
    }
}
