import Launch
import Foundation
import Glibc
import TestSupport
import Testing

@Suite("parley send and listen", .ownThreads)
struct SendAndListenTests {
    private let couple: Couple
    private var parley: ParleyTool { couple.parley }

    init() throws { couple = try Couple() }

    @Test(
        "what one user sends another reads, in each suite, and the gateway's tail shows its length only",
        .oneMachine(.ownCell))
    func suites() throws {
        let tail = try parley.start(["tail", "conversations/+/messages"])
        try couple.awaitWord("showing", of: tail)
        let listening = try couple.listen(as: "bob/phone", "--json")
        let suites = ["x25519-hkdf-sha256-aes256gcm", "nacl-box"]
        let replies = try suites.map { try couple.send("marker \($0) — ✓", "--suite", $0) }
        let refused = try parley.run(
            "send", "--as", "alice/phone", "--to", "bob", "--suite", "group-box", "of groups")
        #expect(refused.status == 2 && refused.errors.contains("group-box is for groups"), "\(refused.errors)")
        let received = try couple.lines(of: listening, count: suites.count)
        for (index, suite) in suites.enumerated() {
            #expect(replies[index].keys == ["request_id", "ok", "data"])
            #expect(replies[index]["data"].keys == ["id", "epoch", "seq", "created_at", "status"])
            #expect(replies[index]["data"]["status"] == "sent")
            #expect(
                received[index].keys == [
                    "id", "conversation_id", "epoch", "seq", "kind", "target_id", "sender_id", "sender_device_id",
                    "message_type", "suite", "reply_to", "expires_at", "created_at", "content",
                ])
            #expect(received[index]["id"] == replies[index]["data"]["id"])
            #expect(received[index]["seq"] == .int(index + 1))
            #expect(received[index]["suite"].text == suite)
            #expect(received[index]["sender_id"] == "alice")
            #expect(received[index]["content"] == ["text": .string("marker \(suite) — ✓")])
        }
        try eventually("tail's lines; there are: \(tail.output)") { () -> Void? in
            tail.output.components(separatedBy: "message.new").count > suites.count ? () : nil
        }
        #expect(tail.output.contains("encrypted_content=<"))
        #expect(!tail.output.contains("marker"))
    }

    @Test(
        "what an old app has sealed is shown with a mark, to people, to programs and to the operator",
        .oneMachine(.ownCell))
    func oldApp() throws {
        try couple.makeKeys(of: "bob/phone")
        let app = try OldApp(couple.gateway.client("old", of: "alice"), writingTo: "bob")
        let tail = try parley.start(["tail", "conversations/+/messages"])
        try couple.awaitWord("showing", of: tail)
        let (plain, json) = (try couple.listen(), try couple.listen(as: "bob/phone", "--json"))
        try app.client.accepted("messages/send", app.sealed("Hello"))
        let received = try couple.lines(of: json, count: 1)[0]
        #expect(received["content"] == ["text": "Hello"])
        #expect(received["suite"] == "legacy-nacl-box" && received["protection"] == "legacy")
        let mark = "(old app: not bound to this conversation)"
        let line = try eventually("a line") { plain.output.hasSuffix("\n") ? plain.output : nil }
        #expect(line.hasSuffix(" alice/old: \(mark) Hello\n"))
        try eventually("tail's line; there is: \(tail.output)") { () -> Void? in
            tail.output.contains("suite=legacy-nacl-box \(mark)") ? () : nil
        }
    }

    @Test("a device makes its keys on first use, once, and says so")
    func firstUse() throws {
        let first = try couple.listen()
        #expect(first.errors == "parley: made keys for bob/phone\nparley: listening as bob/phone\n")
        first.child.send(SIGINT)
        #expect(first.child.waitUntilEnded() == 0)
        let second = try couple.listen()
        #expect(second.errors == "parley: listening as bob/phone\n")
    }

    @Test("a text comes from standard input too, without the last line's end")
    func standardInput() throws {
        let listening = try couple.listen(as: "bob/phone", "--json")
        #expect(try parley.run("send", "--as", "alice/phone", "--to", "bob", "-", input: "two\nlines\n").status == 0)
        let received = try couple.lines(of: listening, count: 1)
        #expect(received.first?["content"]["text"] == "two\nlines")
        let empty = try parley.run("send", "--as", "alice/phone", "--to", "bob", "-", input: "\n")
        #expect(empty.status == 2)
        #expect(empty.errors == "parley: standard input is empty\n")
    }

    @Test("a message answers another, ends, and goes into a conversation by its id")
    func fields() throws {
        let listening = try couple.listen(as: "bob/phone", "--json")
        let first = try couple.send("first")["data"]["id"].text ?? ""
        let conversation = try couple.lines(of: listening, count: 1).first?["conversation_id"].text ?? ""
        let sent = try parley.run(
            "send", "--as", "bob/phone", "--conversation", conversation, "--reply-to", first, "--expires-in", "3600",
            "answer")
        #expect(sent.status == 0, "\(sent.errors)")
        let answer = try couple.lines(of: listening, count: 2)[1]
        #expect(answer["reply_to"].text == first)
        #expect(answer["expires_at"].text != nil)
        #expect(answer["sender_id"] == "bob")
        #expect(answer["content"]["text"] == "answer")
        for (number, name) in ["1", String(first.prefix(8))].enumerated() {
            let again = try parley.run("send", "--as", "alice/phone", "--to", "bob", "--reply-to", name, "again")
            #expect(again.status == 0, "\(again.errors)")
            #expect(try couple.lines(of: listening, count: 3 + number)[2 + number]["reply_to"].text == first)
        }
        let unknown = try parley.run("send", "--as", "alice/phone", "--to", "bob", "--reply-to", "99", "lost")
        #expect(unknown.status == 1 && unknown.errors.contains("there is no message #99"), "\(unknown.errors)")
    }

    @Test("history comes first, in order, and goes on live; a user's every conversation, also a new one")
    func history() throws {
        try couple.makeKeys(of: "bob/phone")
        for number in 1...5 { try couple.send("\(number)") }
        let listening = try couple.listen(as: "bob/phone", "--history", "3", "--json")
        try couple.send("6")
        #expect(try couple.lines(of: listening, count: 4).map { $0["content"]["text"] } == ["3", "4", "5", "6"])
        try #require(try parley.run("user", "add", "carol", "--message-privacy", "anyone").status == 0)
        try couple.addDevice(of: "carol")
        #expect(try parley.run("send", "--as", "carol/phone", "--to", "bob", "hello").status == 0)
        let last = try couple.lines(of: listening, count: 5)[4]
        #expect(last["content"]["text"] == "hello")
        #expect(last["sender_id"] == "carol")
        let none = try couple.listen()
        #expect(none.output.isEmpty)
    }

    @Test("it goes on where it was after the gateway has been away")
    func restart() throws {
        let listening = try couple.listen(as: "bob/phone", "--json")
        try couple.send("before")
        couple.gateway.endBroker()
        couple.gateway.endParleyd()
        try eventually("word of the loss") { () -> Void? in
            listening.errors.contains("trying again") ? () : nil
        }
        try couple.gateway.startBroker()
        try couple.gateway.startParleyd()
        try couple.send("after")
        #expect(try couple.lines(of: listening, count: 2).map { $0["content"]["text"] } == ["before", "after"])
    }

    @Test("lines for people have no command to a terminal in them")
    func readable() throws {
        let listening = try couple.listen()
        try couple.send("\u{1B}[2J\u{7}two\nlines")
        let line = try eventually("a line") { listening.output.hasSuffix("\n") ? listening.output : nil }
        #expect(line.hasSuffix(#" alice alice/phone: \u{1b}[2J\u{7}two ↵ lines"# + "\n"))
    }

    @Test("a message that cannot be opened stands in its place and says why")
    func unreadable() throws {
        try couple.makeKeys(of: "bob/phone")
        try couple.send("for the old keys")
        try couple.forgetKeys(of: "bob/phone")
        let listening = try couple.listen(as: "bob/phone", "--history", "1", "--json")
        let message = try couple.lines(of: listening, count: 1)[0]
        #expect(message["seq"] == 1)
        #expect(message["error"].keys == ["code", "message"])
        #expect(["not_authentic", "not_for_this_device"].contains(message["error"]["code"].text))
        #expect(!message.keys.contains("content"))
    }

    @Test("it ends when nobody reads on, also without another message")
    func brokenPipe() throws {
        try couple.makeKeys(of: "bob/phone")
        try couple.send("one")
        let run = try parley.start(
            ["listen", "--as", "bob/phone", "--history", "1"],
            script: "\"$0\" --data \"$@\" | head -n 1; exit ${PIPESTATUS[0]}")
        #expect(run.child.waitUntilEnded() == 128 + SIGPIPE)
        #expect(run.output.split(separator: "\n").count == 1)
        #expect(!run.errors.contains("EPIPE"))
    }
}

@Suite("parley send: what is refused", .ownThreads)
struct SendRefusalTests {
    @Test("who is not there, has no keys or is oneself, is said with status 1")
    func recipients() throws {
        let couple = try Couple()
        let unknown = try couple.parley.run("send", "--as", "alice/phone", "--to", "nobody", "hi")
        #expect(unknown.status == 1)
        #expect(unknown.json["error"]["code"] == "not_found")
        let keyless = try couple.parley.run("send", "--as", "alice/phone", "--to", "bob", "hi")
        #expect(keyless.status == 1)
        #expect(keyless.output.isEmpty)
        #expect(keyless.errors.contains("has keys yet"))
        let own = try couple.parley.run("send", "--as", "alice/phone", "--to", "alice", "hi")
        #expect(own.status == 1)
        #expect(own.json["ok"] == false)
        try couple.makeKeys(of: "bob/phone")
        let foreign = try couple.parley.run(
            "send", "--as", "alice/phone", "--conversation", "7f31a5d0-0000-4000-8000-000000000000", "hi")
        #expect(foreign.status == 1)
        #expect(foreign.json["error"]["code"] == "not_found")
        #expect(try couple.parley.run("send", "--as", "alice/phone", "--to", "bob", "hi").status == 0)
    }

    @Test("listening to a conversation that one is not in is refused at once")
    func foreignConversation() throws {
        let couple = try Couple()
        let foreign = try couple.parley.run(
            "listen", "--as", "alice/phone", "--conversation", "7f31a5d0-0000-4000-8000-000000000000", "--timeout",
            "300")
        #expect(foreign.status == 1)
        #expect(foreign.output.isEmpty)
        #expect(foreign.errors.contains("not_found"))
    }

    @Test("without a gateway, or without credentials, it ends with status 3", .oneMachine(.balancer))
    func unreachable() throws {
        let couple = try Couple()
        let unnamed = try couple.parley.run("send", "--as", "alice/tablet", "--to", "bob", "hi")
        #expect(unnamed.status == 3)
        #expect(unnamed.errors.contains("parley device add alice tablet"))
        couple.gateway.endParleyd()
        let unanswered = try couple.parley.run("send", "--as", "alice/phone", "--to", "bob", "--timeout", "2", "hi")
        #expect(unanswered.status == 3)
        couple.gateway.endBroker()
        for arguments in [["send", "--to", "bob", "hi"], ["listen"], ["safety-number", "--with", "bob"]] {
            let run = try couple.parley.start([arguments[0], "--as", "alice/phone"] + arguments.dropFirst())
            #expect(run.child.waitUntilEnded() == 3)
            #expect(run.output.isEmpty)
            #expect(run.errors.contains("is not running; start it with: scripts/run.sh"))
        }
    }
}
