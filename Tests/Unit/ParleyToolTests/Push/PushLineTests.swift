import ArgumentParser
import ParleyCrypto
import ParleyProtocol
import Testing

@testable import ParleyClient
@testable import parley

@Suite("What is printed of pushes")
struct PushLineTests {
    private let bob = DeviceAddress(user: UserID(validated: "bob"), device: DeviceID(validated: "phone"))
    private let time = Timestamp(milliseconds: 1_768_469_400_000)
    private let conversation = ConversationID(UUIDValue(high: 1, low: 2))

    private func push(_ content: OpenedPush.Content) -> OpenedPush {
        OpenedPush(
            id: NotificationID(UUIDValue(high: 1, low: 1)), content: content,
            position: OpenedPush.Position(conversation: conversation, epoch: "e", seq: 7),
            badge: Badge(count: 3, at: time),
            createdAt: time)
    }

    private func message(
        _ text: String, isRead: Bool = false, suite: ParleyProtocol.Suite? = nil
    ) throws -> OpenedPush.Content {
        var writer = JSONWriter()
        writer.object { $0.member("text", text) }
        let content = try OpenedContent(type: .known(.text), json: writer.finish())
        let message = ChatMessage(
            id: MessageID(UUIDValue(high: 1, low: 3)), conversation: conversation,
            position: ChatMessage.Position(epoch: "e", seq: 7), kind: .known(.message), target: nil, sender: bob,
            type: .known(.text), suite: suite.map { .known($0) }, replyTo: nil, expiresAt: nil, createdAt: time,
            content: .opened(content),
            editedAt: nil, reactions: [:], status: nil)
        return .message(PushedMessage(message: message, isSenderVerified: true, isRead: isRead))
    }

    @Test("a line has the time, who has written what, where it leads and the badge, whatever is written")
    func line() throws {
        let link = "parley://conversation/\(conversation)"
        #expect(
            try push(message("See you\n\u{1B}[2Jat six")).line(in: .utc, LatestBadge(Badge(count: 4, at: time)))
                == #"2026-01-15 09:30:00 bob/phone (verified): See you ↵ \u{1b}[2Jat six → \#(link) [badge 4]"#)
        let read = try push(message("Hello", isRead: true)).line(in: .utc, LatestBadge())
        #expect(read.contains("Hello (read already)"))
    }

    @Test("a message of an old app is marked before its text, on the desktop too, and to programs")
    func oldApp() throws {
        let mark = "(old app: not bound to this conversation) "
        let push = try push(message(String(repeating: "long ", count: 100), suite: .legacyNaClBox))
        #expect(push.line(in: .utc, LatestBadge()).contains("bob/phone (verified): \(mark)long "))
        #expect(push.onDesktop.map { Desktop.markup($0.body).hasPrefix(mark) } == true)
        let json = try JSONObject(parsing: push.json)
        #expect(try json.object("message")?.text("protection", maximum: 64) == "legacy")
        #expect(try json.object("message")?.text("suite", maximum: 64) == "legacy-nacl-box")
        let bound = try self.push(message("short", suite: .naclBox))
        #expect(
            !bound.sentence.contains("old app") && !String(decoding: bound.json, as: UTF8.self).contains("protection"))
    }

    @Test(
        "whatever is pushed has a sentence and one line of JSON of its own",
        arguments: [
            (.clear, "clear", nil), (.digest, "digest", nil), (.test, "test", nil), (.wakeUp, "wake_up", nil),
            (.unopened(.reference), nil, "reference"),
            (.unopened(.sealed(.senderKeyChanged)), nil, "sender_key_changed"),
            (.unopened(.unknownType("x\u{1B}")), nil, "unknown_type"),
        ] as [(OpenedPush.Content, String?, String?)])
    func others(content: OpenedPush.Content, type: String?, error: String?) throws {
        let push = push(content)
        let json = try JSONObject(parsing: push.json)
        #expect(try json.text("type", maximum: 64) == type)
        #expect(try json.object("error")?.text("code", maximum: 64) == error)
        #expect(try json.integer("badge", in: 0...9) == 3)
        #expect(!push.line(in: .utc, LatestBadge()).contains("\u{1B}"))
    }

    @Test("on the desktop no word of others is an option or markup, and what was read or cannot be named is not told")
    func desktop() throws {
        let shown = try #require(try push(message("<b>&--x\u{1B}")).onDesktop)
        #expect(shown.title == "bob")
        #expect(Desktop.markup(shown.body) == #"&lt;b&gt;&amp;--x\u{1b}"#)
        #expect(Desktop.markup(String(repeating: "<", count: 9000)).count == 800)
        #expect(try push(message("Hello", isRead: true)).onDesktop == nil)
        #expect(push(.clear).onDesktop == nil && push(.unopened(.notForThisDevice)).onDesktop == nil)
        #expect(push(.unopened(.sealed(.notAuthentic))).onDesktop?.body == "a new message")
        #expect(Desktop(path: nil) == nil && Desktop(path: "relative:/nowhere") == nil)
    }

    @Test("a trace shows how far a message has come with whom, and what push services have answered")
    func trace() {
        let trace = MessageTrace(
            message: TracedMessage(
                id: MessageID(UUIDValue(high: 1, low: 3)), conversation: conversation, sender: bob.user,
                acceptedAt: time,
                seq: 7, isPublished: true),
            members: [TracedMember(user: UserID(validated: "alice"), deliveredAt: time, readAt: nil)],
            pushes: [
                TracedPush(
                    id: NotificationID(UUIDValue(high: 1, low: 1)), type: .known(.message),
                    user: UserID(validated: "carol"), device: DeviceID(validated: "tv"), provider: .known(.fcm),
                    decidedAt: time, decision: "notify", sentAt: time, attempts: 2, repeats: 1, answeredAt: time,
                    answer: "200 \u{1B}[2J")
            ])
        let lines = trace.lines(in: .utc)
        #expect(lines[0].hasPrefix("message 00000000-0000-0001-0000-000000000003 of bob, number 7"))
        #expect(lines[1] == "accepted and committed 2026-01-15 09:30:00, published")
        #expect(lines[4].hasPrefix("alice   2026-01-15 09:30:00"))
        #expect(lines.last?.hasPrefix("carol  tv, fcm  message  2026-01-15 09:30:00  notify") == true)
        #expect(lines.last?.hasSuffix(#"2 (1 without an answer)  200 \u{1b}[2J"#) == true)
        #expect(MessageTrace(message: nil, members: [], pushes: []).lines(in: .utc) == ["nothing is known of it"])
    }

    @Test("an explanation says what was decided then and now, and marks the fact that decides")
    func explanation() {
        let explanation = PushExplanation(
            message: MessageID(UUIDValue(high: 1, low: 3)), user: bob.user,
            verdict: PushVerdict(decision: "skip", reason: "muted", says: "They have muted the conversation."),
            decidedAt: time, pushes: [],
            now: PushVerdict(decision: "notify", reason: nil, says: "They are notified."),
            facts: [
                PushFact(fact: "own", holds: false, detail: "no"), PushFact(fact: "muted", holds: true, detail: "yes"),
                PushFact(fact: "connected", holds: true, detail: "yes\u{1B}"),
            ])
        let lines = explanation.lines(in: .utc)
        #expect(lines[0].hasSuffix("bob: skip (muted) (2026-01-15 09:30:00)"))
        #expect(lines.contains("now: notify; They are notified."))
        #expect(lines.filter { $0.hasPrefix("→") } == ["→  muted      yes    yes"])
        #expect(!lines.joined().contains("\u{1B}"))
    }

    @Test(
        "what is registered is checked before anything is asked",
        arguments: [
            ["webhook", "ftp://example.org", "--secret", "0123456789abcdef"], ["webhook", "https://example.org"],
            ["webpush", "https://example.org", "--p256dh", "x"], ["apns", "00ff"], ["fcm"], ["pigeon", "x"],
        ])
    func registering(arguments: [String]) {
        #expect(throws: (any Error).self) {
            try Parley.parseAsRoot(["push", "register"] + arguments + ["--as", "bob/phone"])
        }
    }

    @Test(
        "explain --push takes a message and a user",
        arguments: [
            (["alice", "bob"], false), ([sampleID, "bob"], true), ([sampleID, "b+b"], false), ([sampleID], false),
        ])
    func explaining(arguments: [String], isRight: Bool) {
        let parsed = try? Parley.parseAsRoot(["explain", "--push"] + arguments)
        #expect((parsed != nil) == isRight)
    }
}

private let sampleID = "7f31a5d0-0000-4000-8000-000000000000"
