import Launch
import TestSupport
import Testing

/// Cards, and the targets of their links.
@Suite("parley open", .ownThreads, .timeLimit(.minutes(20)))
final class LinkedCardTests {
    private let couple: Couple
    private var parley: ParleyTool { couple.parley }

    init() throws { couple = try Couple(keysOf: ["alice/phone", "bob/phone"]) }

    /// What bob's device prints of the messages up to one with a text, for people.
    private func read(through text: String) throws -> String {
        let run = try parley.start(["--text", "listen", "--as", "bob/phone", "--history", "50"])
        try couple.awaitWord("listening as bob/phone", of: run)
        let output = try eventually("\(text); there is: \(run.output)") {
            // The whole line.
            run.output.split(separator: "\n", omittingEmptySubsequences: false).dropLast()
                .contains { $0.contains(text) } ? run.output : nil
        }
        run.child.send(15)
        return output
    }

    /// The last link in a text.
    private func link(in text: String) throws -> String {
        try #require(text.split(whereSeparator: \.isWhitespace).map(String.init).last { $0.hasPrefix("parley://") })
    }

    @Test("the card of a challenge is shown with its link, which shows the challenge and what each can do")
    func challenge() throws {
        let made = try parley.run(
            "challenge", "create", "--as", "alice/phone", "--to", "bob", "steps", "50000", "--days", "7")
        let id = try #require(made.json["id"].text, "\(made.errors)")
        let shared = try parley.run("challenge", "share", "--as", "alice/phone", id, "Who walks more?")
        #expect(shared.status == 0 && shared.json["ok"] == true, "\(shared.errors)")
        let shown = try read(through: "parley://challenge/")
        #expect(shown.contains("[challenge] Who walks more?, 50000 steps in 7 days, parley://challenge/\(id)"))
        let link = try link(in: shown)

        let received = try parley.read("open", "--as", "bob/phone", link)
        #expect(
            received.status == 0
                && received.lines == ["challenge \(id.prefix(8)): alice and bob, 50000 steps in 7 days: pending"])
        #expect(received.errors.contains("parley challenge accept --as bob/phone \(id)"))
        #expect(received.errors.contains("parley challenge decline --as bob/phone \(id)"))
        let own = try parley.read("open", "--as", "alice/phone", link)
        #expect(own.status == 0 && own.errors.contains("parley challenge cancel --as alice/phone \(id)"))
        #expect(!own.errors.contains("accept"))

        #expect(try parley.run("challenge", "accept", "--as", "bob/phone", id).status == 0)
        let active = try parley.run("open", "--as", "bob/phone", "--json", link)
        #expect(active.json["id"].text == id && active.json["status"] == "active")
        #expect(active.errors.contains("it ends at") && !active.errors.contains("parley challenge"))

        // Whom it does not concern learns nothing by the link, not even that there is such a challenge.
        #expect(try parley.run("user", "add", "carol").status == 0)
        #expect(try parley.run("device", "add", "carol", "phone").status == 0)
        try couple.makeKeys(of: "carol/phone")
        let foreign = try parley.read("open", "--as", "carol/phone", link)
        #expect(foreign.status == 1 && foreign.output.isEmpty && foreign.errors.contains("not_found"))
        let none = try parley.read(
            "open", "--as", "carol/phone", "parley://challenge/7f31a5d0-0000-4000-8000-000000000000")
        #expect(none.status == 1 && none.errors == foreign.errors)
        let notTheirs = try parley.run("challenge", "share", "--as", "carol/phone", id, "Mine")
        #expect(notTheirs.status == 1)
    }

    @Test("the card of a plan is shown with its link, which leads back to the card and to the plan's id")
    func plans() throws {
        let diet = try parley.run(
            "plan", "share", "--as", "alice/phone", "--to", "bob", "diet", "low carb/14", "--title", "Low carb",
            "--calories", "1800", "--days", "14", "--summary", "No bread")
        #expect(diet.status == 0 && diet.json["ok"] == true, "\(diet.errors)")
        let shownDiet = try read(through: "parley://plan/diet/")
        #expect(
            shownDiet.contains(
                "[diet plan] Low carb, 1800 kcal a day, 14 days, No bread, parley://plan/diet/low%20carb%2F14"))
        let opened = try parley.read("open", "--as", "bob/phone", link(in: shownDiet))
        #expect(opened.status == 0 && opened.lines.count == 1)
        #expect(opened.output.contains("alice/phone: [diet plan] Low carb") && opened.errors.contains("low carb/14"))

        let workout = try parley.run(
            "plan", "share", "--as", "alice/phone", "--to", "bob", "workout", "5k", "--title", "To 5 km", "--minutes",
            "30")
        #expect(workout.status == 0)
        let link = try link(in: read(through: "parley://plan/workout/"))
        #expect(link == "parley://plan/workout/5k")
        let json = try parley.run("open", "--as", "bob/phone", "--json", link)
        #expect(json.json["plan_id"] == "5k" && json.json["message"]["content"]["plan_title"] == "To 5 km")
        // The sender finds the card, too.
        #expect(try parley.read("open", "--as", "alice/phone", link).output.contains("To 5 km"))

        let unknown = try parley.read("open", "--as", "bob/phone", "parley://plan/diet/5k")
        #expect(unknown.status == 0 && unknown.lines == ["plan 5k"] && unknown.errors.contains("no card of it"))
    }
}
