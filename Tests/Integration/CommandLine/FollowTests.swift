import Launch
import Glibc
import TestSupport
import Testing

/// `--follow` prints each item as it comes, and ends quietly.
@Suite("parley: what is followed", .ownThreads, .timeLimit(.minutes(20)))
final class FollowTests {
    private let couple: Couple
    private var parley: ParleyTool { couple.parley }
    private static let headed = "\"$0\" --data \"$@\" | head -n 1; exit ${PIPESTATUS[0]}"

    init() throws { couple = try Couple() }

    /// Bob challenges alice, who is notified.
    private func challenge() throws -> String {
        let made = try parley.run(
            "challenge", "create", "--as", "bob/phone", "--to", "alice", "steps", "5000", "--days", "1")
        return try #require(made.json["id"].text, "\(made.errors)")
    }

    @Test("notifications are shown as they come, each once, also those that came while there was no gateway")
    func notifications() throws {
        for device in ["alice/phone", "bob/phone"] { try couple.makeKeys(of: device) }
        let first = try challenge()
        let run = try parley.start(["notifications", "--as", "alice/phone", "--follow", "--json"])
        #expect(try couple.lines(of: run, count: 1).map { $0["challenge_id"].text } == [first])
        let second = try challenge()
        #expect(try couple.lines(of: run, count: 2).map { $0["challenge_id"].text } == [first, second])
        #expect(run.errors.isEmpty)
        run.child.send(SIGINT)
        #expect(run.child.waitUntilEnded() == 0)
        #expect(run.errors.isEmpty)

        // Nothing that was there before, and what comes.
        let later = try parley.start(["--text", "notifications", "--as", "alice/phone", "--limit", "1", "--follow"])
        try eventually("one line; there is: \(later.output)") { later.output.contains(second.prefix(8)) ? () : nil }
        // It hears nothing of the third by itself: its connection is broken, and it does not know yet.
        later.child.send(SIGSTOP)
        couple.gateway.endBroker(SIGKILL)
        couple.gateway.endParleyd(SIGKILL)
        try couple.gateway.startBroker()
        try couple.gateway.startParleyd()
        let third = try challenge()
        later.child.send(SIGCONT)
        try eventually("the third; there is: \(later.output)") { later.output.contains(third.prefix(8)) ? () : nil }
        #expect(later.output.split(separator: "\n").count == 2 && !later.output.contains(first.prefix(8)))
        later.child.send(SIGTERM)
        #expect(later.child.waitUntilEnded() == 0)
    }

    @Test("following notifications ends when nobody reads on, also without another one")
    func notificationsWithoutReader() throws {
        for device in ["alice/phone", "bob/phone"] { try couple.makeKeys(of: device) }
        let challenge = try challenge()
        let run = try parley.start(["--text", "notifications", "--as", "alice/phone", "--follow"], script: Self.headed)
        #expect(run.child.waitUntilEnded() == 128 + SIGPIPE)
        #expect(run.output.split(separator: "\n").count == 1 && run.output.contains(challenge.prefix(8)))
        #expect(run.errors.isEmpty)
    }

    @Test("a board is printed each time it changes, a JSON object a line, until Ctrl-C or until nobody reads on")
    func board() throws {
        try #require(try parley.run("group", "create", "--as", "alice/phone", "Morning run").status == 0)
        let run = try parley.start(["board", "--as", "alice/phone", "--follow"])
        let before = try couple.lines(of: run, count: 1)
        #expect(before.first?["type"] == "check-ins")
        try #require(try parley.run("workout", "log", "--as", "alice/phone").status == 0)
        let after = try couple.lines(of: run, count: 2)
        #expect(after[1]["version"] != before[0]["version"] && after[1]["group_id"] == before[0]["group_id"])
        run.child.send(SIGINT)
        #expect(run.child.waitUntilEnded() == 0)
        #expect(!run.output.contains("\u{1B}"))

        let headed = try parley.start(["board", "--as", "alice/phone", "--follow"], script: Self.headed)
        #expect(headed.child.waitUntilEnded() == 128 + SIGPIPE)
        #expect(headed.output.split(separator: "\n").count == 1)
    }
}
