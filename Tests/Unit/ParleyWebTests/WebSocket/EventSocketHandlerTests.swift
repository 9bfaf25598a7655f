import MQTTPackets
import NIOCore
import NIOEmbedded
import NIOWebSocket
import ParleyProtocol
import Testing

@testable import ParleyWeb

/// A WebSocket of `/ws` without a network, whose clock the test moves.
@Suite("A WebSocket's time")
struct EventSocketHandlerTests {
    private let channel = EmbeddedChannel()
    private let configuration = EventSocketConfiguration()

    init() throws {
        let token = try #require(DoorSample.token())
        let broker = try #require(BrokerAddress("127.0.0.1:1"))
        let loop = channel.embeddedEventLoop
        let table = SessionTable(
            on: loop, most: 1, BrokerConfiguration(broker, name: try #require(ConnectionName("web"))))
        let session = SessionHandle(token, in: NIOLoopBound(table, eventLoop: loop), on: loop)
        try channel.pipeline.syncOperations.addHandler(
            EventSocketHandler(configuration, AppCommands(session: session)))
        channel.connect(to: try SocketAddress(ipAddress: "127.0.0.1", port: 1), promise: nil)
        try #require(channel.isActive)
    }

    private func advance(_ time: TimeAmount) { channel.embeddedEventLoop.advanceTime(by: time) }

    private func hear(_ opcode: WebSocketOpcode) throws {
        try channel.writeInbound(WebSocketFrame(fin: true, opcode: opcode, data: ByteBuffer()))
    }

    private func nextOpcode() throws -> WebSocketOpcode? {
        try channel.readOutbound(as: WebSocketFrame.self)?.opcode
    }

    @Test("it is pinged at each tick, and stays as long as it answers")
    func answers() throws {
        for _ in 0..<30 {
            advance(configuration.tick)
            #expect(try nextOpcode() == .ping)
            try hear(.pong)
        }
        #expect(channel.isActive)
        #expect(try nextOpcode() == nil)
    }

    @Test("a dead peer is let go after the longest silence, and not before")
    func deadPeer() throws {
        advance(configuration.longestSilence - .nanoseconds(1))
        #expect(channel.isActive)
        advance(configuration.tick)
        #expect(!channel.isActive)
    }

    @Test("a reader who takes nothing is cut off when the patience with readers is over, though it answers")
    func slowReader() throws {
        channel.isWritable = false
        channel.pipeline.fireChannelWritabilityChanged()
        try hear(.pong)
        advance(configuration.patienceWithReaders - .nanoseconds(1))
        #expect(channel.isActive)
        try hear(.pong)
        advance(configuration.tick)
        #expect(!channel.isActive)
    }

    @Test("an app that says more than its budget is closed, and one that keeps to it is not")
    func budget() throws {
        for _ in 0..<10 {
            for _ in 0..<configuration.perSecond {
                try hear(.ping)
                #expect(try nextOpcode() == .pong)
            }
            advance(.seconds(1))
        }
        #expect(channel.isActive)
        for _ in 0...configuration.burst { try hear(.ping) }
        var last: WebSocketOpcode?
        while let opcode = try nextOpcode() { last = opcode }
        #expect(last == .connectionClose)
    }
}
