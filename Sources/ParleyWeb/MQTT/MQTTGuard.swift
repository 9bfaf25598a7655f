/// What passes between a client's WebSocket and the broker, and when: a stranger's one CONNECT, nothing more until
/// it is answered, and then packets within their bounds.
struct MQTTGuard: Sendable {
    private var frames: MaskedFrameReader
    private var phase: Phase

    private enum Phase: Sendable {
        /// What has come of the CONNECT. It goes to `awaitingAnswer`.
        case connecting([UInt8])
        /// The CONNECT has been passed on, and this came after it. A good answer leads to `signedIn`.
        case awaitingAnswer(early: [UInt8], answer: [UInt8])
        case signedIn(ClientPacketStream)
    }

    /// How much a client may send before its CONNECT is answered: somebody who does not wait, within reason. In
    /// bytes.
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

    /// What is to be done with a piece of the client's stream.
    enum Step: Hashable, Sendable {
        /// Nothing is to be sent.
        case wait
        /// The broker is connected to, and gets this CONNECT.
        case connect([UInt8])
        /// The broker gets so many bytes, which now stand at the front of the piece.
        case pass(Int)
        /// The client gets this CONNACK, and the WebSocket is closed.
        case refuse([UInt8])
    }

    struct ClientInput: Sendable {
        let step: Step
        /// The client gets a pong with this.
        let ping: [UInt8]?
        /// The client has closed the WebSocket, once what is to be passed has been.
        let close: MaskedFrameReader.Close?
    }
}

extension MQTTGuard {
    /// A piece of the client's stream, of frames as they come.
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

    /// A piece of the broker's stream, which is passed on as it is.
    ///
    /// - Returns: what the client has sent in the meantime, once it is signed in: the broker gets it now.
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

    /// As much of the broker's first packet as may have to be seen: its type, a length of four bytes at most,
    /// CONNACK's flags and its reason code (MQTT 5 §3.2).
    private static let answerLength = 7

    /// Whether this is the beginning of a CONNACK, and its reason code is there and is success.
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
