import ParleyCrypto
import ParleyProtocol
import Testing

@Suite("Shapes of sealed messages")
struct ShapeTests {
    let alice: Party
    let bob: Party

    init() throws {
        (alice, bob) = (try .alice(), try .bob())
    }

    @Test("a nonce, content or sealed key of a length that it cannot have is malformed", arguments: Way.all)
    func lengths(way: Way) throws {
        let (message, header) = try alice.sealed(way.suite, for: way.addressing.recipients(bob))
        var recipient = bob.cipher()
        func isMalformed(_ message: SealedMessage) {
            #expect(throws: OpeningError.malformed) {
                try recipient.open(message, header, with: .ofSender([alice.key]))
            }
        }
        for count in 0...64 where count != way.suite.nonceLength {
            isMalformed(message.with(nonce: [UInt8](repeating: 0, count: count)))
        }
        for count in [0, 1, 15, 65_537] {
            isMalformed(message.with(content: [UInt8](repeating: 0, count: count)))
        }
        if let key = message.encryptedKey(for: bob.address) {
            for count in 0...256 where count != key.count {
                isMalformed(message.with(encryptedKey: [UInt8](repeating: 5, count: count), for: bob.address))
            }
            let crowd = [RecipientKey](repeating: RecipientKey(address: bob.address, encryptedKey: key), count: 129)
            isMalformed(message.with(recipientKeys: crowd))
        }
    }

    @Test("group-box without recipient_keys is malformed")
    func groupWithoutKeys() throws {
        let header = try MessageHeader.full(.groupBox, from: alice)
        var sender = alice.cipher()
        let message = try sender.seal(hello, header, for: .devices([(bob.address, bob.key)]))
        #expect(throws: OpeningError.malformed) {
            try bob.open(message.with(recipientKeys: nil), header, with: .ofSender([alice.key]))
        }
        #expect(throws: SealingError.needsRecipientKeys) { try sender.seal(hello, header, for: .one(bob.key)) }
    }

    @Test("an empty list of devices seals for nobody, and is for none")
    func noDevices() throws {
        let header = try MessageHeader.full(.groupBox, from: alice)
        var sender = alice.cipher()
        #expect(throws: SealingError.noRecipients) { try sender.seal(hello, header, for: .devices([])) }
        let message = try sender.seal(hello, header, for: .devices([(bob.address, bob.key)]))
        #expect(throws: OpeningError.notForThisDevice) {
            try bob.open(message.with(recipientKeys: []), header, with: .ofSender([alice.key]))
        }
        #expect(throws: OpeningError.senderKeysUnknown) {
            try sender.open(message, header, with: .ofRecipients([alice.address: [bob.key]]))
        }
    }

    @Test("128 devices are sealed for, and not one more")
    func manyDevices() throws {
        let header = try MessageHeader.full(.groupBox, from: alice)
        var sender = alice.cipher()
        let devices = try (1...128).map { number in
            let device = DeviceAddress(
                user: try #require(UserID("user\(number)")), device: DeviceID("phone"))
            return (device, bob.key)
        }
        let message = try sender.seal(hello, header, for: .devices(devices))
        #expect(message.recipientKeys?.count == 128)
        #expect(throws: SealingError.tooManyRecipients(maximum: 128)) {
            try sender.seal(hello, header, for: .devices(devices + [(bob.address, bob.key)]))
        }
    }

    @Test("the longest content fills 64 KiB, and a byte more is too large", arguments: Way.all)
    func longest(way: Way) throws {
        let header = try MessageHeader.full(way.suite, from: alice)
        var sender = alice.cipher()
        let recipients = way.addressing.recipients(bob)
        let maximum = 65_536 - 16 - (way.suite == .naclBox ? 2 + header.bytes.count : 0)
        let content = [UInt8](repeating: 0x20, count: maximum)
        let message = try sender.seal(content, header, for: recipients)
        #expect(message.content.count == 65_536)
        #expect(try bob.open(message, header, with: .ofSender([alice.key])) == content)
        #expect(throws: SealingError.tooLarge(maximum: maximum)) {
            try sender.seal(content + [0], header, for: recipients)
        }
    }

    @Test("no content at all is sealed and opened like any other", arguments: Way.all)
    func empty(way: Way) throws {
        let header = try MessageHeader.full(way.suite, from: alice)
        var sender = alice.cipher()
        let message = try sender.seal([], header, for: way.addressing.recipients(bob))
        #expect(try bob.open(message, header, with: .ofSender([alice.key])) == [])
    }

    @Test("a suite that is none is refused by its name, of which 64 characters are kept")
    func unknownSuites() throws {
        #expect(try Suite(named: "nacl-box") == .naclBox)
        for name in ["", "NACL-BOX", "legacy-fitlink", "nacl-box "] {
            #expect(throws: OpeningError.unknownSuite(name)) { try Suite(named: name) }
        }
        #expect(throws: OpeningError.unknownSuite(String(repeating: "x", count: 64))) {
            try Suite(named: String(repeating: "x", count: 1000))
        }
    }
}
