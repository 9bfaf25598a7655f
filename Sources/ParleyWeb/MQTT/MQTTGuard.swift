/// Filters the traffic between a client's WebSocket and the broker: one CONNECT, nothing more until its CONNACK, then
/// packets within their limits.
struct MQTTGuard: Sendable {
    private var frames: MaskedFrameReader
    private var phase: Phase

    private enum Phase: Sendable {
        /// The part of the CONNECT received so far. Next: `awaitingAnswer`.
        case connecting([UInt8])
        /// The CONNECT is forwarded; these bytes came after it. Next: `signedIn`, after a CONNACK of success.
        case awaitingAnswer(early: [UInt8], answer: [UInt8])
        case signedIn(ClientPacketStream)
    }

    /// The most bytes of a client that does not wait for its CONNACK.
    static let mostEarlyBytes = 65_536
    /// One packet with its header of 5 bytes at most.
    static let longestMessage = ClientPacketStream.longestBody + 5

    init() {
        frames = MaskedFrameReader(longestMessage: MQTTSignIn.longestConnect)
        phase = .connecting([])
    }

    var isSignedIn: Bool {
        switch phase {
        case .connecting, .awaitingAnswer: false
        case .signedIn: true
        }
    }

    /// The action for a chunk of the client's stream.
    enum Step: Hashable, Sendable {
        /// Send nothing.
        case wait
        /// Connect to the broker, and send it this CONNECT.
        case connect([UInt8])
        /// Send the broker so many bytes from the front of the chunk.
        case pass(Int)
        /// Send the client this CONNACK, and close the WebSocket.
        case refuse([UInt8])
    }

    struct ClientInput: Sendable {
        let step: Step
        /// Send the client a pong with this payload.
        let ping: [UInt8]?
        /// The client's close frame; it takes effect after the remaining bytes are forwarded.
        let close: MaskedFrameReader.Close?
    }
}

extension MQTTGuard {
    /// Handles a chunk of the client's stream of frames.
    mutating func receive(_ bytes: inout MutableSpan<UInt8>) throws(MQTTRefusal) -> ClientInput {
        let contents = try frames.read(&bytes)
        let step = contents.count == 0 ? .wait : try handle(bytes.span.extracting(first: contents.count))
        return ClientInput(step: step, ping: contents.ping, close: contents.close)
    }

    private mutating func handle(_ data: Span<UInt8>) throws(MQTTRefusal) -> Step {
        switch phase {
        case .connecting(var connect):
            connect.append(copying: data)
            return try collect(connect)
        case .awaitingAnswer(var early, let answer):
            early.append(copying: data)
            guard early.count <= Self.mostEarlyBytes else { throw .policy }
            phase = .awaitingAnswer(early: early, answer: answer)
            return .wait
        case .signedIn(var packets):
            try packets.follow(data)
            phase = .signedIn(packets)
            return .pass(data.count)
        }
    }

    private mutating func collect(_ bytes: [UInt8]) throws(MQTTRefusal) -> Step {
        guard let end = try MQTTSignIn.end(in: bytes.span) else {
            phase = .connecting(bytes)
            return .wait
        }
        switch try MQTTSignIn.judge(bytes.span.extracting(first: end)) {
        case .passOn:
            let early = Array(bytes[end...])
            guard early.count <= Self.mostEarlyBytes else { throw .policy }
            phase = .awaitingAnswer(early: early, answer: [])
            return .connect(Array(bytes[..<end]))
        case .refuse(let answer):
            phase = .awaitingAnswer(early: [], answer: [])
            return .refuse(answer)
        }
    }

    /// Handles a chunk of the broker's stream, which is forwarded unchanged.
    ///
    /// - Returns: the bytes that the client sent before the CONNACK, to be forwarded now that it is signed in.
    mutating func receive(fromBroker bytes: Span<UInt8>) throws(MQTTRefusal) -> [UInt8]? {
        guard case .awaitingAnswer(let early, var answer) = phase, answer.count < Self.answerLength else { return nil }
        answer.append(copying: bytes.extracting(first: min(bytes.count, Self.answerLength - answer.count)))
        phase = .awaitingAnswer(early: early, answer: answer)
        guard Self.isWelcome(answer) else { return nil }
        var packets = ClientPacketStream()
        try packets.follow(early.span)
        phase = .signedIn(packets)
        frames.longestMessage = Self.longestMessage
        return early
    }

    /// The longest prefix of the broker's first packet that is examined: its type, a length of four bytes at most,
    /// CONNACK's flags and reason code (MQTT 5 §3.2).
    private static let answerLength = 7

    /// Whether this is the beginning of a CONNACK with the reason code of success.
    private static func isWelcome(_ answer: [UInt8]) -> Bool {
        guard answer.first == 0x20, let lengthEnd = answer.dropFirst().firstIndex(where: { $0 & 0x80 == 0 }),
            answer.count > lengthEnd + 2
        else { return false }
        return answer[lengthEnd + 2] == 0
    }
}

extension [UInt8] {
    fileprivate mutating func append(copying bytes: Span<UInt8>) {
        reserveCapacity(count + bytes.count)
        for index in bytes.indices { append(bytes[index]) }
    }
}
