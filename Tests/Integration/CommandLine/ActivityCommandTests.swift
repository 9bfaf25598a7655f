import Launch
import Glibc
import TestSupport
import Testing

/// The commands `activity` and `notifications`.
@Suite("parley: activity and notifications", .ownThreads)
final class ActivityCommandTests {
    private let couple: Couple
    private var parley: ParleyTool { couple.parley }

    init() throws { couple = try Couple() }

    @Test("friends read what one posts, react to it, and the other is notified and reads that")
    func friends() throws {
        for (user, other) in [("alice", "bob"), ("bob", "alice")] {
            let followed = try parley.run(
                "request", "--as", "\(user)/phone", "social/follow", #"{"user_id":"\#(other)"}"#)
            #expect(followed.status == 0)
        }
        let posted = try parley.run("activity", "post", "--as", "alice/phone", "--description", "at last", "5 km")
        #expect(posted.status == 0 && posted.json["title"] == "5 km" && posted.json["user_id"] == "alice")
        let id = try #require(posted.json["id"].text)
        let listed = try parley.read("activity", "--as", "bob/phone")
        #expect(listed.lines.count == 1 && listed.output.contains("alice: 5 km: at last"))
        #expect(try parley.run("activity", "react", "--as", "bob/phone", id, "x").status == 2)
        let reacted = try parley.run("activity", "react", "--as", "bob/phone", String(id.prefix(8)), "👏")
        #expect(reacted.status == 0 && reacted.json["reactions"] == ["bob": "👏"])
        let mine = try parley.read("activity", "list", "--as", "alice/phone", "--of", "alice")
        #expect(mine.output.contains("[👏 bob]"))

        let nothing = try parley.read("notifications", "--as", "bob/phone")
        #expect(nothing.status == 0 && nothing.output.isEmpty && nothing.errors == "parley: there is nothing yet\n")
        #expect(try parley.run("notifications", "--as", "bob/phone", "--json").errors.isEmpty)
        let notified = try parley.read("notifications", "--as", "alice/phone", "--mark-read")
        #expect(notified.lines.count == 1 && notified.output.hasPrefix("* "))
        #expect(notified.output.contains("bob has reacted to your activity \(id.prefix(8))"))
        let again = try parley.run("notifications", "--as", "alice/phone", "--json")
        #expect(again.json["type"] == "reaction" && again.json["is_read"] == true && again.json["actor_id"] == "bob")

        let unknown = try parley.run("activity", "unreact", "--as", "bob/phone", "ffffffff-ffff")
        #expect(unknown.status == 1 && unknown.errors.contains("begins so"), "\(unknown.errors)")
        let named = try parley.read("activity", "list", "--as", "bob/phone", "--ids")
        #expect(named.output.hasPrefix("\(id.prefix(8)) "))
        let removed = try parley.run("activity", "unreact", "--as", "bob/phone", id)
        #expect(removed.status == 0 && removed.json["reactions"] == [:])
        let foreign = try parley.read("activity", "list", "--as", "bob/phone", "--of", "carol")
        #expect(foreign.status == 1 && foreign.errors.contains("not_found"))
    }

    @Test(
        "a gateway that does not answer is waited for as long as --timeout says", .oneMachine(.connection),
        .timeLimit(.minutes(20)))
    func silence() throws {
        for device in ["alice/phone", "bob/phone"] { try couple.makeKeys(of: device) }
        let item = "7f31a5d0-0000-4000-8000-000000000000"
        couple.gateway.pauseParleyd()
        defer { couple.gateway.resumeParleyd() }
        for arguments in [["list"], ["post", "5 km"], ["react", item, "👏"], ["unreact", item]] {
            let run = try parley.start(
                ["activity", arguments[0], "--as", "bob/phone", "--timeout", "1"] + arguments.dropFirst())
            #expect(run.child.waitUntilEnded() == 3, "\(arguments)")
            #expect(run.output.isEmpty && run.errors.contains("parleyd"), "\(arguments): \(run.errors)")
        }
    }
}
