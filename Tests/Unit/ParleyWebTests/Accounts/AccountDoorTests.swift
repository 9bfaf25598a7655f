import MQTTWire
import TestSupport
import Testing

@testable import ParleyWeb

/// The paths of accounts at a door whose broker answers nobody.
@Suite("Accounts at the door", .ownThreads)
struct AccountDoorTests {
    private func post(_ port: UInt16, _ body: [UInt8], _ fields: String = "") throws -> HTTPConnection.Answer {
        let connection = try HTTPConnection(toLoopbackPort: port)
        try connection.send(
            "POST /api/v1/accounts/sign-in HTTP/1.1\r\nHost: x\r\n\(fields)Content-Length: \(body.count)\r\n\r\n")
        try connection.send(body)
        return try #require(try connection.answer())
    }

    private func text(_ answer: HTTPConnection.Answer) -> String { String(decoding: answer.body, as: UTF8.self) }

    @Test("a door without credentials takes no sign-ins, and says so")
    func noCredentials() async throws {
        try await DoorSample.withDoor(DoorLimits()) { port in
            let answer = try post(port, Array("{}".utf8))
            #expect(answer.status == 404 && text(answer).contains("This door takes no sign-ins."))
        }
    }

    @Test("where the credentials are missing it is unavailable, with a time to come again")
    func noFile() async throws {
        try await DoorSample.withDoor(DoorLimits(), AccountConfiguration { nil }) { port in
            let answer = try post(port, Array("{}".utf8))
            #expect(answer.status == 503 && answer["retry-after"] != nil && text(answer).contains(#""unavailable""#))
        }
    }

    @Test("a body of more than 32 KiB is refused before anything is asked, and so is a page of another origin")
    func refused() async throws {
        try await DoorSample.withDoor(DoorLimits(), AccountConfiguration { nil }) { port in
            let long = try post(port, [UInt8](repeating: 32, count: AccountCall.longestBody + 1))
            #expect(long.status == 413 && text(long).contains(#""too_large""#))
            #expect(try post(port, [UInt8](repeating: 32, count: AccountCall.longestBody)).status == 400)
            let cross = try post(port, Array("{}".utf8), "Origin: https://evil.example\r\n")
            #expect(cross.status == 403)
            #expect(try post(port, Array("{}".utf8), "Content-Type: text/plain\r\n").status == 415)
        }
    }
}
