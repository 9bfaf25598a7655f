import GatewaySite
import ParleyCrypto
import ParleyProtocol

/// Two devices with warm sessions and a few messages between them.
struct CipherPair {
    private let suite: Suite.Bound
    private let direct: any DirectCalls
    private let content: [UInt8]
    private let recipients: Recipients
    private let known: KnownKeys
    private var alice: MessageCipher
    private var bob: MessageCipher
    private let messages: [(header: MessageHeader, sealed: SealedMessage)]
    private let directMessages: [(header: [UInt8], sealed: DirectMessage)]

    init(_ suite: Suite.Bound, content count: Int) throws {
        let (alice, bob, phone): (UserID, UserID, DeviceID) = ("alice", "bob", "phone")
        self.suite = suite
        let direct = try suite.directCalls()
        self.direct = direct
        content = [UInt8](repeating: UInt8(ascii: "x"), count: count)
        let (mine, other) = (DeviceAddress(user: alice, device: phone), DeviceAddress(user: bob, device: phone))
        let (keys, otherKeys) = (try IdentityKeyPair.generate(), try IdentityKeyPair.generate())
        var cipher = MessageCipher(device: mine, current: keys)
        self.bob = MessageCipher(device: other, current: otherKeys)
        recipients =
            switch suite {
            case .x25519AESGCM, .naclBox: .one(otherKeys.publicKey)
            case .groupBox: .devices([(other, otherKeys.publicKey)])
            }
        known = .ofSender([keys.publicKey])
        let conversation = ConversationID(.random())
        var messages: [(MessageHeader, SealedMessage)] = []
        for _ in 0..<64 {
            let header = MessageHeader(
                suite: suite, conversation: conversation, id: MessageID(.random()), sender: mine, type: .text)
            messages.append((header, try cipher.seal(content, header, for: recipients)))
        }
        self.messages = messages
        let content = content
        directMessages = try messages.map { ($0.0.bytes, try direct.seal(content, header: $0.0.bytes)) }
        self.alice = cipher
    }

    /// Rows of a table for sealing and opening: a second, of this project's functions and of the libraries' alone.
    func measure(runs: Int, seconds: Double, check: () throws -> Void) throws -> [[String]] {
        var pair = self
        var (seals, directSeals, opens, directOpens) = ([Double](), [Double](), [Double](), [Double]())
        for _ in 0..<runs {
            try check()
            seals.append(try Self.rate(seconds) { try pair.seal($0) })
            directSeals.append(try Self.rate(seconds) { try pair.sealDirectly($0) })
            opens.append(try Self.rate(seconds) { try pair.open($0) })
            directOpens.append(try Self.rate(seconds) { try pair.openDirectly($0) })
        }
        return [
            Self.row(suite.benchmarkName, "seal", seals, directSeals), Self.row("", "open", opens, directOpens),
        ]
    }

    private static func row(_ name: String, _ what: String, _ ours: [Double], _ direct: [Double]) -> [String] {
        [
            name, what, Spread(ours).formatted(0), Spread(direct).formatted(0),
            Spread(zip(ours, direct).map { $0 / $1 }).formatted(2),
        ]
    }

    private mutating func seal(_ number: Int) throws {
        _ = try alice.seal(content, messages[number].header, for: recipients)
    }

    private mutating func open(_ number: Int) throws {
        let message = messages[number]
        guard try bob.open(message.sealed, message.header, with: known).count == content.count else {
            throw SiteError.badName
        }
    }

    private func sealDirectly(_ number: Int) throws {
        _ = try direct.seal(content, header: directMessages[number].header)
    }

    private func openDirectly(_ number: Int) throws {
        let message = directMessages[number]
        _ = try direct.open(message.sealed, header: message.header)
    }

    /// How often a second of this thread's CPU the work is done, with the numbers 0 to 63 in turn.
    private static func rate(_ seconds: Double, _ work: (Int) throws -> Void) throws -> Double {
        for number in 0..<64 { try work(number) }
        var done = 0
        let begun = ThreadTime.now
        var spent: Int64 = 0
        while Double(spent) < seconds * 1e9 {
            for number in 0..<64 { try work(number) }
            done += 64
            spent = ThreadTime.now - begun
        }
        return Double(done) / (Double(spent) / 1e9)
    }
}
