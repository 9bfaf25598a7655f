import Launch
import TestSupport
import Testing

/// What a shell is told that asks with what has been typed.
@Suite("parley: completions from the gateway", .ownThreads)
final class CompletionOfferTests: ToolSuite {
    /// As the completion script of a shell asks.
    private func offers(_ command: String, _ argument: String, _ line: String, data: String? = nil) throws -> [String] {
        let words = ["parley", "--data", data ?? parley.data] + line.split(separator: " ").map(String.init) + [""]
        let question =
            ["---completion"] + command.split(separator: " ").map(String.init)
            + ["--", argument, "\(words.count - 1)", "0"] + words
        // The first argument is the data directory, for other commands.
        let run = try parley.start(question, script: #"shift 3; exec "$0" "$@""#)
        #expect(run.child.waitUntilEnded() == 0, "\(run.errors)")
        #expect(run.errors.isEmpty, "\(line): \(run.errors)")
        return run.output.split(separator: "\n").map(String.init)
    }

    @Test("an operator is offered all users and their devices, a person those with whom they talk")
    func people() throws {
        for user in ["alice", "bob", "carol"] { try addUser(user, "--message-privacy", "anyone") }
        try addUser("erin", device: false)
        let all = try offers("user show", "positional@0", "user show")
        #expect(all.filter { !["operator", "web"].contains($0) } == ["alice", "bob", "carol", "erin"], "\(all)")
        #expect(try offers("device revoke", "positional@1", "device revoke bob") == ["phone"])
        #expect(try offers("device revoke", "positional@1", "device revoke erin").isEmpty)
        let made = try parley.run(
            "request", "--as", "alice/phone", "conversations/create", #"{"type":"direct","participant_ids":["bob"]}"#)
        try #require(made.status == 0)
        let place = TemporaryDirectory.unmade()
        let person = try ParleyTool(data: place.path)
        defer { person.removeScratch() }
        let token = "\(gateway.directory)/devices/alice/phone/credentials.json"
        let login = try person.run("login", "mqtt://127.0.0.1:\(gateway.mqttPort)", "--token-file", token)
        try #require(login.status == 0, "\(login.errors)")
        #expect(try offers("send", "--to", "send --to", data: place.path) == ["alice", "bob"])
    }

    @Test("where no gateway answers it offers what is there, at once")
    func alone() throws {
        try addUser("alice")
        _ = gateway.endParleyd()
        let began = ContinuousClock.now
        #expect(try offers("user show", "positional@0", "user show").contains("alice"))
        #expect(ContinuousClock.now - began < .seconds(60))
    }
}
