import TestSupport
import Testing

@Suite("parley safety-number and accept-key", .ownThreads)
struct KeyChangeTests {
    private let couple: Couple
    private var parley: ParleyTool { couple.parley }

    init() throws { couple = try Couple(keysOf: ["alice/phone", "bob/phone"]) }

    @Test("the number is the same on both sides, 60 digits, and names the devices")
    func numbers() throws {
        let alices = try parley.run("safety-number", "--as", "alice/phone", "--with", "bob")
        let bobs = try parley.run("safety-number", "--as", "bob/phone", "--with", "alice")
        #expect(alices.status == 0)
        #expect(alices.output == bobs.output)
        let groups = alices.output.dropLast().split(separator: " ")
        #expect(groups.count == 12)
        #expect(groups.allSatisfy { $0.count == 5 && $0.allSatisfy(\.isNumber) })
        #expect(alices.errors == "parley: alice: phone\nparley: bob: phone\n")
        let code = try parley.run("safety-number", "--as", "alice/phone", "--with", "bob", "--qr")
        #expect(code.output.hasPrefix("parley-safety/1/alice/bob/"))

        try couple.addDevice("tablet", of: "bob")
        try couple.makeKeys(of: "bob/tablet")
        let more = try parley.run("safety-number", "--as", "alice/phone", "--with", "bob")
        #expect(more.output == alices.output, "another device changes nothing")
        #expect(more.errors.contains("bob: phone, tablet"))
    }

    @Test("whoever is new is told of, once, and a device that nobody linked gets nothing and is told of")
    func told() throws {
        let first = try parley.run("send", "--as", "alice/phone", "--to", "bob", "one")
        #expect(first.status == 0)
        #expect(first.errors.contains("bob is new to this device; only comparing the safety number"))
        let second = try parley.run("send", "--as", "alice/phone", "--to", "bob", "two")
        #expect(second.status == 0 && second.errors.isEmpty, "\(second.errors)")

        try couple.addDevice("tablet", of: "bob")
        try couple.makeKeys(of: "bob/tablet")
        let third = try parley.run("send", "--as", "alice/phone", "--to", "bob", "three")
        #expect(third.status == 0)
        #expect(third.errors.contains("the device bob/tablet gets nothing: the account key has not certified it"))
        #expect(third.errors.contains("not sealed for bob/tablet"))
        let tablet = try couple.listen(as: "bob/tablet", "--json", "--history", "1")
        #expect(try couple.lines(of: tablet, count: 1).map { $0["error"]["code"] } == ["left_out"])
        try couple.awaitWord("bob/tablet is to be linked by one of your other devices", of: tablet)
        let phone = try couple.listen(as: "bob/phone")
        try couple.awaitWord("WARNING: bob/tablet is listed as a device of your own", of: phone)
    }

    @Test("a user without keys has no number")
    func noKeys() throws {
        try #require(try parley.run("user", "add", "carol", "--message-privacy", "anyone").status == 0)
        let none = try parley.run("safety-number", "--as", "alice/phone", "--with", "carol")
        #expect(none.status == 1)
        #expect(none.errors.contains("carol has no keys yet"))
    }

    @Test("a changed account key holds up sending until it is accepted as compared, and nothing to accept is no error")
    func change() async throws {
        try couple.send("before")
        let before = try couple.safetyNumber()
        let nothing = try parley.run("accept-key", "--as", "alice/phone", "--with", "bob", before)
        #expect(nothing.status == 0)
        #expect(nothing.output.isEmpty)
        #expect(nothing.errors == "parley: no key of bob waits to be accepted\n")

        try couple.forgetKeys(of: "bob/phone")
        try await couple.resetAccount(with: "bob/phone")
        let listening = try couple.listen(as: "bob/phone", "--json")
        for _ in 1...2 {
            let held = try parley.run("send", "--as", "alice/phone", "--to", "bob", "held")
            #expect(held.status == 1)
            #expect(held.output.isEmpty)
            #expect(held.errors.contains("keys of bob were not accepted"))
            #expect(held.errors.contains("parley accept-key --as alice/phone --with bob NUMBER"))
        }
        for wrong in [before, "12345", "hello"] {
            let refused = try parley.run("accept-key", "--as", "alice/phone", "--with", "bob", wrong)
            #expect(refused.status == 1 && refused.output.isEmpty)
        }
        let number = try couple.safetyNumber()
        #expect(number != before)
        let accepted = try parley.run("accept-key", "--as", "alice/phone", "--with", "bob", number)
        #expect(accepted.status == 0)
        #expect(accepted.output == "accepted the keys of bob\n")
        try couple.send("after")
        #expect(try couple.lines(of: listening, count: 1).map { $0["content"]["text"] } == ["after"])
    }

    /// The messages that a listener has printed: not what asks for "before" to be sealed anew, which the other had
    /// missed.
    private func messages(of listening: ParleyTool.Run, count: Int) throws -> [JSON] {
        try eventually("\(count) messages") { () -> [JSON]? in
            let lines = try couple.lines(of: listening, count: count).filter { $0["kind"] == "message" }
            return lines.count >= count ? lines : nil
        }
    }

    @Test("what came under a changed key is shown as such, and opened by who listens once it is accepted elsewhere")
    func acceptedElsewhere() async throws {
        try couple.send("before")
        let listening = try couple.listen(as: "alice/phone", "--json")
        try couple.forgetKeys(of: "bob/phone")
        try await couple.resetAccount(with: "bob/phone")
        let sent = try parley.run("send", "--as", "bob/phone", "--to", "alice", "under a new key")
        #expect(sent.status == 0)
        let held = try messages(of: listening, count: 1)
        #expect(held.map { $0["error"]["code"] } == ["sender_key_changed"])
        let number = try couple.safetyNumber()
        #expect(try parley.run("accept-key", "--as", "alice/phone", "--with", "bob", number).status == 0)
        let opened = try messages(of: listening, count: 2)
        #expect(opened.map { $0["id"] } == [held[0]["id"], held[0]["id"]])
        #expect(opened[1]["content"]["text"] == "under a new key")
    }
}
