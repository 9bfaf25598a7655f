import Foundation
import Logging
import MQTTWire
import Platform
import Synchronization
import TestSupport
import Testing

@testable import ParleyBridge

@Suite("The server of probes", .ownThreads)
struct ProbeServerTests {
    /// A server while a test runs.
    private func serve(
        _ limits: ProbeServer.Limits = ProbeServer.Limits(), body: @escaping @Sendable () -> String = { "ok" },
        _ test: @Sendable (_ port: UInt16) async throws -> Void
    ) async throws {
        let server = try ProbeServer(port: 0, limits: limits, logger: Logger(label: "test")) { path in
            path == "/livez" ? ProbeResponse(.ok, body()) : ProbeResponse(.notFound)
        }
        try await withThrowingTaskGroup(of: Void.self) { group in
            group.addTask { try await server.run() }
            let port = try eventually("the server's port") { server.listeningPort }
            try await test(port)
            server.stop()
            try await group.waitForAll()
        }
    }

    /// Sends bytes, and reads until the server ends the connection.
    private func exchange(_ port: UInt16, _ bytes: [UInt8]) throws -> String {
        let connection = try HTTPConnection(toLoopbackPort: port)
        try connection.send(bytes)
        try connection.awaitEnd()
        return String(decoding: connection.input, as: UTF8.self)
    }

    @Test("it answers, one request a connection")
    func answers() async throws {
        try await serve { port in
            let request = Array("GET /livez HTTP/1.1\r\n\r\n".utf8)
            try #expect(exchange(port, request).hasSuffix("\r\n\r\nok\n"))
            try #expect(exchange(port, request + request).components(separatedBy: "HTTP/1.1").count == 2)
            try #expect(exchange(port, Array("GET /x HTTP/1.1\r\n\r\n".utf8)).hasPrefix("HTTP/1.1 404 "))
        }
    }

    @Test("a request may come byte by byte")
    func pieces() async throws {
        try await serve { port in
            let connection = try HTTPConnection(toLoopbackPort: port)
            for byte in Array("GET /livez HTTP/1.1\r\n\r\n".utf8) { try connection.send([byte]) }
            let answer = try #require(try connection.answer())
            #expect(answer.status == 200 && answer.body == Array("ok\n".utf8) && answer["Connection"] == "close")
        }
    }

    @Test("an answer longer than the buffers of sockets comes whole")
    func longAnswers() async throws {
        let long = String(repeating: "0123456789abcdef", count: 1 << 18)
        try await serve(body: { long }) { port in
            try #expect(exchange(port, Array("GET /livez HTTP/1.1\r\n\r\n".utf8)).hasSuffix("\r\n\r\n\(long)\n"))
        }
    }

    @Test("who sends too much or garbage is answered and cut off, and the next is served")
    func hostile() async throws {
        try await serve { port in
            let endless = [UInt8](repeating: UInt8(ascii: "a"), count: 60_000)
            try #expect(exchange(port, endless).hasPrefix("HTTP/1.1 431 "))
            try #expect(exchange(port, [0x16, 3, 1, 13, 10, 13, 10]).hasPrefix("HTTP/1.1 400 "))
            try #expect(exchange(port, Array("GET /livez HTTP/1.1\r\n\r\n".utf8)).hasSuffix("ok\n"))
        }
    }

    @Test("without a descriptor for who connects it tries again after a rest, and not at once")
    func exhausted() async throws {
        let attempts = Mutex(0)
        var limits = ProbeServer.Limits()
        limits.rest = .milliseconds(100)
        limits.accept = { listener in
            let attempt = attempts.withLock { count in
                count += 1
                return count
            }
            return attempt <= 3 ? .exhausted : ListeningSocket.accept(listener)
        }
        let begun = ContinuousClock.now
        try await serve(limits) { port in
            try #expect(exchange(port, Array("GET /livez HTTP/1.1\r\n\r\n".utf8)).hasSuffix("ok\n"))
        }
        #expect(begun.duration(to: .now) >= .milliseconds(300))
        #expect(attempts.withLock { $0 } == 4)
    }

    @Test("a connection that asks for nothing ends in time")
    func silent() async throws {
        var limits = ProbeServer.Limits()
        limits.time = .milliseconds(200)
        try await serve(limits) { port in
            try #expect(exchange(port, []).isEmpty)
            try #expect(exchange(port, Array("GET /livez HT".utf8)).isEmpty)
        }
    }

    @Test("many silent connections keep nobody out")
    func manyConnections() async throws {
        var limits = ProbeServer.Limits()
        limits.connections = 4
        limits.time = .seconds(60)
        try await serve(limits) { port in
            let silent = try (0..<40).map { _ in try HTTPConnection(toLoopbackPort: port) }
            defer { for connection in silent { connection.close() } }
            try #expect(exchange(port, Array("GET /livez HTTP/1.1\r\n\r\n".utf8)).hasSuffix("ok\n"))
        }
    }

    @Test("a port that somebody else has is taken when it is free")
    func takenPort() async throws {
        let (other, port) = try ListeningSocket.listen(onLoopbackPort: 0, backlog: 1)
        var limits = ProbeServer.Limits()
        limits.pause = .milliseconds(20)
        let server = try ProbeServer(port: port, limits: limits, logger: Logger(label: "test")) { _ in
            ProbeResponse(.ok, "ok")
        }
        try await withThrowingTaskGroup(of: Void.self) { group in
            group.addTask { try await server.run() }
            #expect(server.listeningPort == nil)
            close(other)
            #expect(try eventually("the port") { server.listeningPort } == port)
            server.stop()
            try await group.waitForAll()
        }
    }
}
