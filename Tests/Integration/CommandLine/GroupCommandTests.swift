import Launch
import Foundation
import TestSupport
import Testing

@Suite("parley: groups", .ownThreads, .timeLimit(.minutes(20)))
final class GroupCommandTests: ToolSuite {
    override init() throws {
        try super.init()
        for user in ["alice", "bob"] { try addUser(user, "--name", user.uppercased()) }
    }

    private func group(_ verb: String, as user: String, _ arguments: String...) throws -> ParleyTool.Outcome {
        try parley.run(["group", verb, "--as", "\(user)/phone"] + arguments)
    }

    private func read(_ verb: String, as user: String, _ arguments: String...) throws -> ParleyTool.Outcome {
        try parley.read(["group", verb, "--as", "\(user)/phone"] + arguments)
    }

    @Test("a group is made, shown, joined by its link, and ended, each in a line")
    func life() throws {
        let none = try group("members", as: "alice")
        #expect(none.status == 1 && none.errors.contains("parley group create --as alice/phone NAME"))
        let made = try group("create", as: "alice", "Morning run", "--time-zone", "Europe/Berlin")
        #expect(made.status == 0 && made.json["name"] == "Morning run" && made.json["time_zone"] == "Europe/Berlin")
        let invited = try group("invite", as: "alice", "--uses", "2")
        let link = try #require(invited.lines.first)
        #expect(invited.lines.count == 1 && link.hasPrefix("parley://group/invite/"))
        let shown = try parley.read("open", "--as", "bob/phone", link)
        #expect(shown.status == 0)
        #expect(shown.lines == ["ALICE (alice) invites you to the group Morning run, 1 member"])
        #expect(shown.errors.contains("parley group join --as bob/phone \(link)"))
        #expect(try parley.run("open", "--as", "bob/phone", "--json", link).json["member_count"] == 1)

        let joined = try group("join", as: "bob", link)
        #expect(joined.status == 0 && joined.json["member_count"] == 2 && joined.json["id"] == made.json["id"])
        let again = try group("create", as: "bob", "Another")
        #expect(again.status == 1 && again.errors.contains("already_in_group"))
        let members = try read("members", as: "bob")
        #expect(
            members.lines.map { $0.split(separator: " ").prefix(3).joined(separator: " ") }.dropFirst()
                == ["USER NAME ROLE", "alice ALICE admin", "bob BOB member"])
        #expect(try read("list", as: "bob").lines.last?.contains("Morning run") == true)

        #expect(try group("rename", as: "bob", "Mine").errors.contains("forbidden"))
        #expect(try read("role", as: "alice", "bob", "admin").output == "bob is admin\n")
        let renamed = try read("rename", as: "bob", "Evening run")
        #expect(renamed.output == "Morning run is called Evening run now\n", "\(renamed.errors)")
        let invites = try group("invites", as: "bob", "--json")
        let invite = try #require(invites.json["id"].text)
        #expect(invites.json["uses_left"] == 1 && invites.json["token"] == .null)
        #expect(try group("revoke", as: "bob", "ffff").errors.contains("no invite is called ffff"))
        #expect(try read("revoke", as: "bob", "\(invite.prefix(8))").output == "revoked \(invite.prefix(8))\n")
        #expect(try group("join", as: "bob", link).json["name"] == "Evening run")
        #expect(try group("leave", as: "bob").output == "left Evening run\n")
        let back = try group("join", as: "bob", link)
        #expect(back.status == 1 && back.errors.contains("invite_invalid"))
        #expect(try group("delete", as: "alice").output == "ended Evening run\n")
        #expect(try group("members", as: "alice").status == 1)
    }

    @Test("to remove oneself is to leave, and to leave and to end a group again is no error")
    func repeats() throws {
        let made = try group("create", as: "alice", "Morning run")
        let id = try #require(made.json["id"].text)
        for verb in ["remove", "leave"] {
            let link = try #require(try group("invite", as: "alice").lines.first)
            #expect(try group("join", as: "bob", link).status == 0)
            let left = try group(verb, as: "bob", verb == "remove" ? "bob" : "--group=\(id)")
            #expect(left.status == 0 && left.output == "left Morning run\n", "\(verb): \(left.errors)")
            #expect(try group("list", as: "bob").output.isEmpty)
        }
        #expect(try group("leave", as: "bob", "--group", id).output == "left \(id)\n")
        let absent = try group("remove", as: "alice", "bob")
        #expect(absent.status == 0 && absent.output == "bob was not in Morning run\n", "\(absent.errors)")
        #expect(try group("delete", as: "alice", "--group", id).output == "ended Morning run\n")
        #expect(try group("delete", as: "alice", "--group", id).output == "ended \(id)\n")
        let never = try group("leave", as: "alice", "--group", "7f31a5d0-0000-4000-8000-000000000000")
        #expect(never.status == 1 && never.errors.contains("not_found"))
    }

    @Test("of several groups one is named, which is a matter of usage")
    func several() throws {
        let couple = try Couple(settings: TestGateway.roomy.with(["groups_per_user": 2]))
        for name in ["Morning run", "Morning walk"] {
            #expect(try couple.parley.run("group", "create", "--as", "alice/phone", name).status == 0)
        }
        for arguments in [[], ["--group", "morning"]] {
            let several = try couple.parley.read(["group", "members", "--as", "alice/phone"] + arguments)
            #expect(several.status == 2 && several.errors.contains("Morning walk ("), "\(several.errors)")
        }
    }
}
