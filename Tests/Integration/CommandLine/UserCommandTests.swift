import Foundation
import Launch
import ParleyProtocol
import TestSupport
import Testing

@Suite("parley: users and devices in the operator's hands", .ownThreads)
final class UserCommandTests: ToolSuite {
    @Test("a user is shown with privacy, devices and counts; an unknown one is a sentence and status 1")
    func show() throws {
        try addUser("alice", "--name", "Alice", "--message-privacy", "anyone")
        let shown = try parley.read("user", "show", "alice")
        #expect(shown.status == 0, "\(shown.errors)")
        #expect(shown.lines.contains("name: Alice") && shown.lines.contains("may be written to by: anyone"))
        #expect(shown.lines.contains { $0.hasPrefix("phone ") })
        let json = try parley.run("user", "show", "alice", "--json").json
        #expect(json["devices"].elements.map { $0["device_id"] } == ["phone"])
        #expect(json["privacy"]["message_privacy"] == "anyone")
        let listed = try parley.read("device", "list", "alice")
        #expect(listed.lines.first?.hasPrefix("DEVICE") == true && listed.lines.count == 2)
        #expect(try parley.run("device", "list", "alice", "--json").json["device_id"] == "phone")
        for command in ["show", "disable", "enable"] {
            let unknown = try parley.run("user", command, "nobody")
            #expect(unknown.status == 1 && unknown.errors.contains("There is no such user."))
        }
        #expect(try parley.run("device", "list", "nobody").status == 1)
    }

    @Test("a user is renamed, disabled and enabled; a repeat says so with status 0")
    func change() throws {
        try addUser("alice")
        func run(_ arguments: String...) throws -> String {
            let outcome = try parley.read(["user"] + arguments)
            #expect(outcome.status == 0, "\(outcome.errors)")
            return outcome.output
        }
        #expect(try run("rename", "alice", "Ann") == "alice is called Ann now; the id stays alice\n")
        #expect(try run("rename", "alice", "Ann") == "alice is called Ann already\n")
        #expect(try run("disable", "alice").hasPrefix("alice is disabled and signs in nowhere"))
        #expect(try run("disable", "alice") == "alice is disabled already\n")
        let refused = try parley.run("request", "--as", "alice/phone", "profile/get")
        #expect(refused.status == 3, "\(refused.errors)")
        #expect(try run("list").contains("disabled"))
        #expect(try run("show", "alice").contains("disabled: since "))
        #expect(try run("enable", "alice") == "alice may sign in again\n")
        #expect(try run("enable", "alice") == "alice is not disabled\n")
        #expect(try parley.run("request", "--as", "alice/phone", "profile/get").status == 0)
    }

    @Test("a user is removed only when that is meant: by --yes, or by their id at a terminal")
    func remove() throws {
        try addUser("alice")
        let unasked = try parley.run("user", "remove", "alice")
        #expect(unasked.status == 2 && unasked.errors.contains("--yes"))
        let removed = try parley.read("user", "remove", "alice", "--yes")
        #expect(removed.status == 0 && removed.output == "removed alice\n")
        #expect(removed.errors.contains("devices/alice"))
        #expect(try parley.read("user", "remove", "alice", "--yes").output == "alice is removed already\n")
        #expect(try parley.read("user", "list").errors.contains("there is nothing yet"))
        #expect(try parley.run("user", "remove", "nobody", "--yes").status == 1)
    }

    @Test("a user's data are one private file, whole or not there; an erased user has none of what they have sent")
    func exportAndErase() throws {
        for user in ["alice", "bob"] { try addUser(user, "--message-privacy", "anyone") }
        #expect(try parley.run("devices", "--as", "bob/phone").status == 0)
        #expect(try parley.run("send", "--as", "alice/phone", "--to", "bob", "Hello").status == 0)
        let file = gateway.directory + "/alice.jsonl"
        let exported = try parley.run("user", "export", "alice", "--output", file)
        #expect(exported.status == 0, "\(exported.errors)")
        let lines = try String(contentsOfFile: file, encoding: .utf8).split(separator: "\n").map {
            try JSON(parsing: $0.utf8)
        }
        #expect(exported.json["file"].text == file && exported.json["lines"].int == lines.count)
        #expect(lines.first?["data"]["user_id"] == "alice")
        #expect(lines.filter { $0["type"] == "message" }.count == 1)
        #expect(try FileManager.default.attributesOfItem(atPath: file)[.posixPermissions] as? Int == 0o600)
        let again = try parley.run("user", "export", "alice", "--output", file)
        #expect(again.status == 3 && again.errors.contains("is there already"))
        let unknown = try parley.run("user", "export", "nobody", "--output", file + ".2")
        #expect(unknown.status == 1 && !FileManager.default.fileExists(atPath: file + ".2"))
        #expect(
            try FileManager.default.contentsOfDirectory(atPath: gateway.directory).allSatisfy { !$0.hasSuffix(".part") }
        )

        let erased = try parley.read("user", "erase", "alice", "--yes")
        #expect(erased.status == 0 && erased.output == "removed alice; what they have sent is being erased\n")
        #expect(try parley.read("user", "erase", "alice", "--yes").output == "alice was erased already\n")
        let left = file + ".3"
        try eventually("the end of the erasure") { () -> Void? in
            try? FileManager.default.removeItem(atPath: left)
            _ = try parley.run("user", "export", "alice", "--output", left)
            let lines = try String(contentsOfFile: left, encoding: .utf8).split(separator: "\n").map {
                try JSON(parsing: $0.utf8)
            }
            let contents = lines.filter { $0["type"] == "message" }.map { $0["data"]["encrypted_content"] }
            return contents.allSatisfy { $0 == .null } ? () : nil
        }
    }

    @Test("for how long a conversation's messages are kept is set, shown and taken back")
    func retention() throws {
        for user in ["alice", "bob"] { try addUser(user, "--message-privacy", "anyone") }
        let made = try parley.run(
            "request", "--as", "alice/phone", "conversations/create", #"{"type":"direct","participant_ids":["bob"]}"#)
        let id = try #require(made.json["data"]["id"].text)
        let named = "conversation \(id.prefix(8))"
        #expect(try parley.read("retention", "set", id, "90").output == "\(named): messages are kept for 90 days\n")
        #expect(try parley.read("retention", "show", id).output == "\(named): messages are kept for 90 days\n")
        #expect(try parley.read("retention", "set", id, "forever").output == "\(named): messages are kept for ever\n")
        let back = try parley.read("retention", "set", id, "default").output
        #expect(back == "\(named): messages are kept for ever, as the gateway's settings say\n")
        #expect(try parley.run("retention", "set", id, "0").status == 2)
        let pair = try parley.read("retention", "show", "bob,alice").output
        #expect(pair == "bob and alice: messages are kept for ever, as the gateway's settings say\n")
        for wrong in ["alice,alice", "alice,", "alice", "alice,bob,carol"] {
            #expect(try parley.run("retention", "show", wrong).status == 2, "\(wrong)")
        }
        let unknown = try parley.run("retention", "show", "7f31a5d0-0000-4000-8000-000000000000")
        #expect(unknown.status == 1)
    }

    @Test("a renewed token ends the one before, and a device that is there is exported only with a new token")
    func tokens() throws {
        try addUser("alice")
        let file = gateway.directory + "/devices/alice/phone/credentials.json"
        let before = try String(contentsOfFile: file, encoding: .utf8)
        #expect(try parley.run("device", "renew-token", "alice", "phone").status == 0)
        #expect(try parley.run("request", "--as", "alice/phone", "profile/get").status == 0)
        try before.write(toFile: file, atomically: false, encoding: .utf8)
        let ended = try parley.run("request", "--as", "alice/phone", "profile/get")
        #expect(ended.status == 3 && ended.errors.contains("parley device renew-token alice phone"))
        let output = ["--output", gateway.directory + "/alice.parley"]
        let there = try parley.run(["device", "export", "alice", "phone"] + output)
        #expect(there.status == 1 && there.errors.contains("alice/phone is there"))
        #expect(try parley.run(["device", "export", "alice", "phone", "--renew-token"] + output).status == 0)
        #expect(try parley.run("device", "renew-token", "alice", "tablet").status == 1)
    }
}
