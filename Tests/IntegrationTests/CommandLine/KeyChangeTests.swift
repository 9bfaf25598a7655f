import Testing

@Suite("parley safety-number and accept-key")
struct KeyChangeTests {
    private let couple: Couple
    private var parley: ParleyTool { couple.parley }

    init() throws {
        couple = try Couple()
        for device in ["alice/phone", "bob/phone"] { try couple.makeKeys(of: device) }
    }

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
        #expect(more.output != alices.output)
        #expect(more.errors.contains("bob: phone, tablet"))
    }

    @Test("a user without keys has no number")
    func noKeys() throws {
        try #require(try parley.run("user", "add", "carol", "--message-privacy", "anyone").status == 0)
        let none = try parley.run("safety-number", "--as", "alice/phone", "--with", "carol")
        #expect(none.status == 1)
        #expect(none.errors.contains("carol has no keys yet"))
    }

    @Test("a changed key holds up sending until it is accepted, and nothing to accept is no error")
    func change() throws {
        try couple.send("before")
        let nothing = try parley.run("accept-key", "--as", "alice/phone", "--with", "bob")
        #expect(nothing.status == 0)
        #expect(nothing.output.isEmpty)
        #expect(nothing.errors == "parley: no key of bob has changed\n")

        try couple.forgetKeys(of: "bob/phone")
        let listening = try couple.listen(as: "bob/phone", "--json")
        for _ in 1...2 {
            let held = try parley.run("send", "--as", "alice/phone", "--to", "bob", "held")
            #expect(held.status == 1)
            #expect(held.output.isEmpty)
            #expect(held.errors.contains("the key of bob/phone has changed"))
            #expect(held.errors.contains("parley accept-key --as alice/phone --with bob"))
        }
        let accepted = try parley.run("accept-key", "--as", "alice/phone", "--with", "bob")
        #expect(accepted.status == 0)
        #expect(accepted.output == "accepted the changed key of bob/phone\n")
        try couple.send("after")
        #expect(try couple.lines(of: listening, count: 1).map { $0["content"]["text"] } == ["after"])
    }

    @Test("what came under a changed key is shown as such, and opened by who listens once it is accepted elsewhere")
    func acceptedElsewhere() throws {
        try couple.send("before")
        let listening = try couple.listen(as: "alice/phone", "--json")
        try couple.forgetKeys(of: "bob/phone")
        let sent = try parley.run("send", "--as", "bob/phone", "--to", "alice", "under a new key")
        #expect(sent.status == 0)
        let held = try couple.lines(of: listening, count: 1)
        #expect(held.map { $0["error"]["code"] } == ["sender_key_changed"])
        #expect(try parley.run("accept-key", "--as", "alice/phone", "--with", "bob").status == 0)
        let opened = try couple.lines(of: listening, count: 2)
        #expect(opened.map { $0["id"] } == [held[0]["id"], held[0]["id"]])
        #expect(opened[1]["content"]["text"] == "under a new key")
    }
}
