import Launch
import TestSupport
import Testing

@Suite("parley challenge", .ownThreads)
struct ChallengeCommandTests {
    private let couple: Couple
    private var parley: ParleyTool { couple.parley }

    init() throws { couple = try Couple(keysOf: ["alice/phone", "bob/phone"]) }

    @Test("a challenge is made, listed, accepted and shown, and its card is a message that leads to it")
    func flow() throws {
        let listening = try couple.listen(as: "bob/phone", "--json", "--events")
        let made = try parley.run(
            "challenge", "create", "--as", "alice/phone", "--to", "bob", "steps", "50000", "--days", "7", "--card",
            "Who walks more?")
        #expect(made.status == 0 && made.json["status"].text == "pending", "\(made.errors)")
        let id = try #require(made.json["id"].text)
        try eventually("the card and the event; there is: \(listening.output)") { () -> Void? in
            let lines = listening.output.split(separator: "\n")
            return lines.contains { $0.contains("Who walks more?") && $0.contains(id) }
                && lines.contains { $0.contains("challenge.updated") && $0.contains(id) } ? () : nil
        }
        listening.child.send(15)
        let listed = try parley.read("challenge", "list", "--as", "bob/phone")
        #expect(
            listed.status == 0 && listed.output.contains("50000 steps in 7 days") && listed.output.contains("pending"))
        #expect(try parley.run("challenge", "accept", "--as", "alice/phone", id).status == 1)
        let accepted = try parley.run("challenge", "accept", "--as", "bob/phone", id)
        #expect(accepted.status == 0 && accepted.json["status"].text == "active", "\(accepted.errors)")
        let shown = try parley.run("challenge", "list", "--as", "alice/phone", "--json")
        #expect(shown.status == 0 && shown.json["id"].text == id && shown.json["status"].text == "active")
    }

    @Test("a challenge is declined or cancelled")
    func answers() throws {
        for (command, device, status) in [
            ("decline", "bob/phone", "declined"), ("cancel", "alice/phone", "cancelled"),
        ] {
            let made = try parley.run(
                "challenge", "create", "--as", "alice/phone", "--to", "bob", "calories", "100", "--days", "1")
            let id = try #require(made.json["id"].text, "\(made.errors)")
            let answer = try parley.run("challenge", command, "--as", device, id)
            #expect(answer.status == 0 && answer.json["status"].text == status, "\(answer.errors)")
        }
    }
}
