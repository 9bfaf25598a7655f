import Launch
import Foundation
import TestSupport
import Testing

@Suite("parley tail", .ownThreads, .oneMachine(.ownCell))
final class TailTests: ToolSuite {
    override init() throws {
        try super.init()
        try addUser("alice")
        try addUser("bob", "--message-privacy", "anyone", device: false)
    }

    private func createConversation() throws {
        let created = try parley.run(
            "request", "--as", "alice/phone", "conversations/create", #"{"type":"direct","participant_ids":["bob"]}"#)
        try #require(created.status == 0)
    }

    /// Waits until tail has reported its subscription this many times.
    private func awaitListening(_ tail: ParleyTool.Run, times: Int = 1) throws {
        try eventually("tail's word that it listens; it said: \(tail.errors)") { () -> Void? in
            tail.errors.components(separatedBy: "parley: showing ").count > times ? () : nil
        }
    }

    @Test("events are shown as they happen, also in a pipe, and no secret is")
    func events() throws {
        let tail = try parley.start(["tail", "--retained"], script: "\"$0\" --data \"$@\" | cat")
        try awaitListening(tail)
        try createConversation()
        let secret = try parley.run("device", "add", "bob", "tv", "--print-token").json["password"].text ?? ""
        try eventually("the events; there was: \(tail.output)") { () -> Void? in
            tail.output.contains("users/bob/events conversation.created") && tail.output.contains("admin/add-device")
                && tail.output.contains("password=<hidden>") ? () : nil
        }
        #expect(tail.output.contains("gateway/status (retained) gateway.status state=online"))
        #expect(!secret.isEmpty)
        #expect(!tail.output.contains(secret))
        tail.child.send(SIGKILL)
    }

    @Test("a filter narrows what is shown, and one that belongs to others is refused")
    func filters() throws {
        let tail = try parley.start(["tail", "users/bob/#"])
        try awaitListening(tail)
        try createConversation()
        _ = try eventually("bob's event") { tail.output.contains("conversation.created") ? true : nil }
        #expect(tail.output.split(separator: "\n").allSatisfy { $0.contains(" users/bob/") })
        tail.child.send(SIGINT)
        #expect(tail.child.waitUntilEnded() == 0)

        let refused = try parley.run("tail", "up/alice/phone/#")
        #expect(refused.status == 1)
        #expect(refused.errors.contains("refuses the filter parley/v1/up/alice/phone/#"))
    }

    @Test("statistics and what was retained are shown when they are asked for, and it is said first what is")
    func selection() throws {
        let tail = try parley.start(["tail"])
        let all = try parley.start(["tail", "--stats", "--retained"])
        for run in [tail, all] { try awaitListening(run) }
        try createConversation()
        try eventually("statistics") { all.output.contains(" gateway/stats/backlog ") ? () : nil }
        try eventually("an event") { tail.output.contains("conversation.created") ? () : nil }
        for run in [tail, all] { run.child.send(SIGINT) }
        for run in [tail, all] { #expect(run.child.waitUntilEnded() == 0) }
        #expect(all.output.contains("(retained)") && all.errors == "parley: showing parley/v1/#\n")
        #expect(!tail.output.contains("(retained)") && !tail.output.contains("gateway/stats"))
        #expect(
            tail.errors
                == "parley: showing parley/v1/#, without statistics (--stats) and retained messages (--retained)\n")
    }

    @Test("it goes on after the gateway was restarted, and ends with status 0 at Ctrl-C")
    func restarts() throws {
        let tail = try parley.start(["tail", "users/bob/#"])
        try awaitListening(tail)
        gateway.endParleyd()
        gateway.endBroker()
        try gateway.startBroker()
        try gateway.startParleyd()
        try awaitListening(tail, times: 2)
        try createConversation()
        _ = try eventually("bob's event") { tail.output.contains("conversation.created") ? true : nil }
        tail.child.send(SIGINT)
        #expect(tail.child.waitUntilEnded() == 0)
    }

    @Test("it ends quietly when nobody reads on")
    func brokenPipe() throws {
        let tail = try parley.start(
            ["tail", "--retained"], script: "\"$0\" --data \"$@\" | head -n 1; exit ${PIPESTATUS[0]}")
        #expect(tail.child.waitUntilEnded() == 128 + SIGPIPE)
        #expect(tail.output.split(separator: "\n").count == 1)
        #expect(tail.errors == "parley: showing parley/v1/#, without statistics (--stats)\n")
    }
}
