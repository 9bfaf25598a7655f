import MQTTPackets
import ParleyProtocol
import TestSupport
import Testing

@testable import ParleyWeb

@Suite("What passes to the broker, and when")
struct MQTTGuardTests {
    static let connect = packet(
        0x10, [0, 4] + Array("MQTT".utf8) + [5, 0xC2, 0, 60, 0] + field("a:b") + field("a") + field("t"))
    static let welcome: [UInt8] = [0x20, 3, 0, 0, 0]
    static let ping: [UInt8] = [0xC0, 0]

    @Test(
        "the CONNECT is passed on when it is whole, in frames of any kind, and nothing before it is answered", .seeded)
    func signIn() throws {
        var random = Seeded(stream: 43)
        for _ in 0..<200 {
            var rules = MQTTGuard()
            let early = random.chance(0.5) ? Self.ping : []
            let steps = try rules.receive(Self.frames(Self.connect + early, &random), &random)
            #expect(steps == [.connect(Self.connect)])
            #expect(try rules.receive(fromBroker: Self.welcome.span) == early)
            #expect(rules.isSignedIn)
            #expect(try rules.receive(ClientStream.frame(Self.ping)) == .pass(Self.ping))
        }
    }

    @Test("an answer that comes byte by byte is seen, and a refusal lets nobody in")
    func answers() throws {
        let answers: [[UInt8]] = [
            Self.welcome, [0x20, 2, 0, 0], [0x20, 2, 1, 0], [0x20, 0x83, 0x01, 0, 0, 0x80, 0x01, 0x12],
            [0x20, 3, 0, 0x87, 0], [0x20, 2, 0, 5], [0xE0, 0, 0, 0, 0], [0x30, 3, 0, 0, 0],
        ]
        for (number, answer) in answers.enumerated() {
            var rules = try Self.answering()
            for byte in answer { _ = try rules.receive(fromBroker: [byte].span) }
            #expect(rules.isSignedIn == (number < 4), "\(answer)")
        }
    }

    static let refusals: [(String, [UInt8], MQTTRefusal)] = [
        ("HTTP", Array("GET / HTTP/1.1".utf8), .protocolError),
        ("a PUBLISH", packet(0x30, field("a") + [0]), .protocolError),
        ("flags in CONNECT", [0x11] + connect.dropFirst(), .protocolError),
        ("a length without end", [0x10, 0xFF, 0xFF, 0xFF, 0xFF], .protocolError),
        ("a CONNECT of 256 MiB", [0x10, 0xFF, 0xFF, 0xFF, 0x7F], .tooLong),
        ("a CONNECT of 4,097 bytes", connected(password: 4097 - 24), .tooLong),
        (
            "MQTT 3.1", packet(0x10, field("MQIsdp") + [3, 0xC2, 0, 60] + field("a:b") + field("a") + field("t")),
            .protocolError
        ),
        (
            "a will", packet(0x10, field("MQTT") + [4, 0xC6, 0, 60] + ["a:b", "w", "x", "a", "t"].flatMap(field)),
            .policy
        ),
        ("no password", packet(0x10, field("MQTT") + [4, 0x82, 0, 60] + field("a:b") + field("a")), .policy),
        ("nobody", packet(0x10, field("MQTT") + [4, 0x02, 0, 60] + field("a:b")), .policy),
        ("no client id", packet(0x10, field("MQTT") + [4, 0xC2, 0, 60] + ["", "a", "t"].flatMap(field)), .policy),
        (
            "a client id of one part",
            packet(0x10, field("MQTT") + [4, 0xC2, 0, 60] + ["a", "a", "t"].flatMap(field)), .policy
        ),
        (
            "the gateway's client id",
            packet(0x10, field("MQTT") + [4, 0xC2, 0, 60] + ["parley/intake", "a", "t"].flatMap(field)), .policy
        ),
        ("more than the CONNECT says", packet(0x10, Array(connect.dropFirst(2)) + [0]), .protocolError),
    ]

    @Test("any other first packet is refused", arguments: 0..<refusals.count)
    func refused(_ number: Int) {
        let (name, bytes, refusal) = Self.refusals[number]
        for step in [1, 7, bytes.count] {
            var rules = MQTTGuard()
            #expect(throws: refusal, "\(name), \(step) at a time") {
                for start in stride(from: 0, to: bytes.count, by: step) {
                    let piece = Array(bytes[start..<min(bytes.count, start + step)])
                    let passed = try rules.receive(ClientStream.frame(piece))
                    #expect(passed == .wait)
                }
            }
        }
    }

    @Test("a CONNECT of 4,096 bytes passes, and no frame is longer before the sign-in")
    func longest() throws {
        var rules = MQTTGuard()
        let connect = Self.connected(password: 4096 - 24)
        #expect(connect.count == 4096)
        #expect(try rules.receive(ClientStream.frame(connect)) == .connect(connect))
        rules = MQTTGuard()
        #expect(throws: MQTTRefusal.tooLong) { try rules.receive(ClientStream.header(4097) + [0, 0, 0, 0]) }
    }

    @Test("who speaks before the answer is heard after it, up to a bound")
    func early() throws {
        var rules = try Self.answering()
        for _ in 0..<MQTTGuard.mostEarlyBytes / 4096 {
            #expect(try rules.receive(ClientStream.frame([UInt8](repeating: 0xC0, count: 4096))) == .wait)
        }
        #expect(throws: MQTTRefusal.policy) { try rules.receive(ClientStream.frame([0xC0])) }
        rules = try Self.answering()
        _ = try rules.receive(ClientStream.frame([0x10]))
        #expect(throws: MQTTRefusal.protocolError) { try rules.receive(fromBroker: Self.welcome.span) }
    }

    @Test("tokens of operators and of the gateway are refused in the broker's place", arguments: [4, 5] as [UInt8])
    func roles(_ version: UInt8) throws {
        for role in AccessToken.Role.allCases {
            var rules = MQTTGuard()
            let claims = AccessToken.Claims(
                user: UserID("a"), device: DeviceID("b"), expiresAt: 1 << 40, id: .random(),
                role: role)
            let token = CompactToken.assemble(
                signingInput: AccessToken.signingInput(for: claims), signature: [UInt8](repeating: 1, count: 64))
            let connect = Self.packet(
                0x10,
                Self.field("MQTT") + [version, 0xC2, 0, 60] + (version == 5 ? [0] : []) + Self.field("a:b")
                    + Self.field("a") + Self.field(token))
            let step = try rules.receive(ClientStream.frame(connect))
            let refusal: [UInt8] = version == 5 ? [0x20, 3, 0, 0x87, 0] : [0x20, 2, 0, 5]
            #expect(step == (role == .device ? .connect(connect) : .refuse(refusal)))
        }
    }

    static func answering() throws -> MQTTGuard {
        var rules = MQTTGuard()
        #expect(try rules.receive(ClientStream.frame(connect)) == .connect(connect))
        return rules
    }

    static func packet(_ first: UInt8, _ body: [UInt8]) -> [UInt8] {
        var length: [UInt8] = []
        length.append(variableInteger: body.count)
        return [first] + length + body
    }

    static func field(_ text: String) -> [UInt8] { field(Array(text.utf8)) }

    static func field(_ bytes: [UInt8]) -> [UInt8] { [UInt8(bytes.count >> 8), UInt8(bytes.count & 0xFF)] + bytes }

    static func connected(password count: Int) -> [UInt8] {
        packet(
            0x10,
            field("MQTT") + [5, 0xC2, 0, 60, 0] + field("a:b") + field("a")
                + field([UInt8](repeating: 0x74, count: count)))
    }

    /// The data in frames of random lengths, some of them fragments.
    static func frames(_ data: [UInt8], _ random: inout Seeded) -> [UInt8] {
        var stream: [UInt8] = []
        var position = 0
        var isContinuation = false
        while position < data.count {
            let end = min(data.count, position + random.number(0...20))
            let isFinal = end == data.count || random.chance(0.5)
            stream += ClientStream.frame(
                Array(data[position..<end]), opcode: isContinuation ? 0 : 2, isFinal: isFinal,
                mask: random.bytes(count: 4))
            isContinuation = !isFinal
            position = end
        }
        return stream
    }
}

/// A ``MQTTGuard/Step`` with the bytes that it passes.
enum PassedStep: Equatable {
    case wait
    case connect([UInt8])
    case pass([UInt8])
    case refuse([UInt8])
}

extension MQTTGuard {
    mutating func receive(_ piece: [UInt8]) throws(MQTTRefusal) -> PassedStep {
        var bytes = piece
        var span = bytes.mutableSpan
        switch try receive(&span).step {
        case .wait: return .wait
        case .connect(let connect): return .connect(connect)
        case .pass(let count): return .pass(Array(bytes.prefix(count)))
        case .refuse(let answer): return .refuse(answer)
        }
    }

    /// The stream in pieces of random lengths.
    ///
    /// - Returns: what was more than to wait.
    mutating func receive(_ stream: [UInt8], _ random: inout Seeded) throws -> [PassedStep] {
        var steps: [PassedStep] = []
        var position = 0
        while position < stream.count {
            let end = min(stream.count, position + random.number(1...30))
            let step = try receive(Array(stream[position..<end]))
            if step != .wait { steps.append(step) }
            position = end
        }
        return steps
    }
}
