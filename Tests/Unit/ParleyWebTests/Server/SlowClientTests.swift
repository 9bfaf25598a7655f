import MQTTWire
import NIOCore
import TestSupport
import Testing

@testable import ParleyWeb

/// Clients that take their time, at a door whose patience is short.
@Suite("Slow clients", .ownThreads)
struct SlowClientTests {
    /// Short where a test waits for it, and else as usual.
    private func limits(_ change: (inout DoorLimits) -> Void) -> DoorLimits {
        var limits = DoorLimits()
        change(&limits)
        return limits
    }

    private static let request = "GET /api/v1/openapi.json HTTP/1.1\r\nHost: x\r\n\r\n"

    @Test("who connects and says nothing, or dribbles headers, is let go")
    func headers() async throws {
        try await DoorSample.withDoor(limits { $0.firstRequest = .milliseconds(200) }) { port in
            let silent = try HTTPConnection(toLoopbackPort: port)
            try silent.awaitEnd()
            let slow = try HTTPConnection(toLoopbackPort: port)
            try slow.send("GET / HTTP/1.1\r\n")
            while !slow.isEnded {
                try slow.send("A: b\r\n")
                slow.receiveNow()
            }
            let other = try HTTPConnection(toLoopbackPort: port)
            try other.send(SlowClientTests.request)
            #expect(try other.answer()?.status == 200)
        }
    }

    @Test("who dribbles a body is let go")
    func body() async throws {
        try await DoorSample.withDoor(limits { $0.body = .milliseconds(200) }) { port in
            let slow = try HTTPConnection(toLoopbackPort: port)
            let token = DoorSample.token()?.text ?? ""
            try slow.send(
                "POST /api/v1/profile/get HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer \(token)\r\nContent-Length: 100\r\n\r\n{"
            )
            try slow.awaitEnd()
            #expect(slow.input.isEmpty || String(decoding: slow.input, as: UTF8.self).hasPrefix("HTTP/1.1 4"))
        }
    }

    @Test("who asks nothing more is let go")
    func idle() async throws {
        try await DoorSample.withDoor(limits { $0.idle = .milliseconds(200) }) { port in
            let idle = try HTTPConnection(toLoopbackPort: port)
            try idle.send(SlowClientTests.request)
            #expect(try idle.answer()?.status == 200)
            try idle.awaitEnd()
        }
    }

    @Test("who dribbles the headers of a later request is let go")
    func laterHeaders() async throws {
        try await DoorSample.withDoor(limits { $0.idle = .milliseconds(200) }) { port in
            let slow = try HTTPConnection(toLoopbackPort: port)
            try slow.send(SlowClientTests.request)
            #expect(try slow.answer()?.status == 200)
            try slow.send("GET / HTTP/1.1\r\n")
            while !slow.isEnded {
                try slow.send("A: b\r\n")
                slow.receiveNow()
            }
        }
    }

    @Test("who says what is no HTTP after a request, and stays, is let go")
    func garbage() async throws {
        try await DoorSample.withDoor(limits { $0.idle = .milliseconds(200) }) { port in
            let connection = try HTTPConnection(toLoopbackPort: port)
            try connection.send(SlowClientTests.request)
            #expect(try connection.answer()?.status == 200)
            try connection.send("GET\r\n\r\n")
            #expect(try connection.answer()?.status == 400)
            // The door has ended its own side at once; when it has ended the other, too, nothing is taken any more.
            try eventually("the end of the connection") { connection.sendNow([0x78]) == 0 ? () : nil }
        }
    }

    @Test("who takes no answers is let go, and makes room for others")
    func response() async throws {
        let limits = limits {
            $0.response = .milliseconds(200)
            $0.connections = 1
        }
        try await DoorSample.withDoor(limits) { port in
            let slow = try HTTPConnection(toLoopbackPort: port)
            // Answers of some hundred kilobytes each: far more than the kernel keeps for a connection.
            try slow.send(String(repeating: SlowClientTests.request, count: 200))
            let other = try HTTPConnection(toLoopbackPort: port)
            try other.send(SlowClientTests.request)
            #expect(try other.answer()?.status == 200)
        }
    }

    @Test("who is answered before their body has come is let go as others are")
    func answeredEarly() async throws {
        try await DoorSample.withDoor(limits { $0.idle = .milliseconds(200) }) { port in
            let early = try HTTPConnection(toLoopbackPort: port)
            try early.send("POST /api/v1/profile/get HTTP/1.1\r\nHost: x\r\nContent-Length: 2\r\n\r\n")
            #expect(try early.answer()?.status == 401)
            try early.send("{}")
            try early.awaitEnd()
        }
    }

    @Test("no more connections than the bound are let in, and each that ends makes room")
    func connections() async throws {
        try await DoorSample.withDoor(limits { $0.connections = 8 }) { port in
            let first = try (0..<8).map { _ in try HTTPConnection(toLoopbackPort: port) }
            for connection in first {
                try connection.send(SlowClientTests.request)
                #expect(try connection.answer()?.status == 200)
            }
            let waiting = try HTTPConnection(toLoopbackPort: port)
            try waiting.send(SlowClientTests.request)
            first[0].close()
            #expect(try waiting.answer()?.status == 200)
        }
    }
}
