import Glibc
import Launch
import TestSupport
import Testing

/// What a shell is told that asks with what has been typed.
@Suite("parley: completions from the gateway", .ownThreads)
final class CompletionOfferTests: ToolSuite {
    /// As the completion script of a shell asks.
    private func offers(_ command: String, _ argument: String, _ line: String) throws -> [String] {
        let words = ["parley", "--data", parley.data] + line.split(separator: " ").map(String.init) + [""]
        let question =
            ["---completion"] + command.split(separator: " ").map(String.init)
            + ["--", argument, "\(words.count - 1)", "0"] + words
        let run = try parley.runAlone(question)
        #expect(run.status == 0 && run.errors.isEmpty, "\(line): \(run.errors)")
        return run.lines
    }

    @Test("on the gateway's machine all users are offered, and the devices of the one before")
    func people() throws {
        for user in ["alice", "bob"] { try addUser(user) }
        try addUser("erin", device: false)
        // Again where the machine is too busy for an answer within the second.
        try eventually("all users") { try offers("user show", "positional@0", "user show").contains("erin") ? () : nil }
        let all = try offers("send", "--to", "send --to")
        #expect(all.filter { ["alice", "bob"].contains($0) } == ["alice", "bob"])
        #expect(try offers("device revoke", "positional@1", "device revoke bob") == ["phone"])
        #expect(try offers("device revoke", "positional@1", "device revoke erin").isEmpty)
        #expect(try offers("device revoke", "positional@1", "device revoke --keep-issued").isEmpty)
    }

    @Test("where no gateway answers, or its broker hangs, what is there is offered all the same")
    func alone() throws {
        try addUser("alice")
        gateway.broker?.send(SIGSTOP)
        #expect(try offers("user show", "positional@0", "user show").contains("alice"))
        #expect(try offers("device revoke", "positional@1", "device revoke alice") == ["phone"])
        gateway.broker?.send(SIGCONT)
        _ = gateway.endParleyd()
        #expect(try offers("user show", "positional@0", "user show").contains("alice"))
    }
}
