import TestSupport
import Testing

@Suite("parley chat, whose input is a pipe", .ownThreads)
struct PipedChatTests {
    @Test("many lines are sent at the gateway's pace, in order, and that is said once")
    func manyLines() throws {
        let gateway = try TestGateway(
            settings: TestGateway.roomy.with(["request_burst": 40, "requests_per_second": 20]))
        let parley = try ParleyTool(on: gateway)
        for user in ["alice", "bob"] {
            try #require(try parley.run("user", "add", user, "--message-privacy", "anyone").status == 0)
            try #require(try parley.run("device", "add", user, "phone").status == 0)
            try #require(try parley.run("devices", "--as", "\(user)/phone").status == 0)
        }
        let lines = (1...90).map { "Line \($0)" }
        let sent = try parley.run(
            "chat", "--as", "alice/phone", "--with", "bob", input: lines.joined(separator: "\n") + "\n")
        #expect(sent.status == 0, "\(sent.errors)")
        #expect(sent.errors.ranges(of: "as fast as the gateway allows").count == 1, "\(sent.errors)")
        let history = try parley.run("history", "--as", "bob/phone", "--with", "alice", "--limit", "100")
        let texts = history.lines.compactMap { $0.firstMatch(of: /"text":"(Line \d+)"/).map { String($0.1) } }
        #expect(texts == lines, "\(history.errors)")
    }
}
