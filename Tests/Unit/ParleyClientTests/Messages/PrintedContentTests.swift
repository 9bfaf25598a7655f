import ParleyCrypto
import ParleyProtocol
import TestSupport
import Testing

@testable import ParleyClient

@Suite("What is printed of messages and secrets")
struct PrintedContentTests {
    private static let marker = "MARKER"

    /// Everything that printing, interpolating, debugging and dumping shows.
    private static func shown(_ value: Any) -> String {
        var text = "\(value)\n" + String(describing: value) + String(reflecting: value) + "\([value])"
        text += String(describing: Optional(value))
        dump(value, to: &text)
        dump(["x": value], to: &text)
        return text
    }

    private static let file = Attachment(
        url: "https://\(marker)", key: [UInt8](repeating: 77, count: 32), digest: [UInt8](repeating: 77, count: 32),
        size: 9, name: marker, mimeType: marker)

    private static let contents: [MessageContent] = [
        .text(marker), .dietPlan(DietPlanCard(planID: marker, planTitle: marker, summary: marker)),
        .workoutPlan(WorkoutPlanCard(planID: marker, planTitle: marker, summary: marker)),
        .challenge(
            ChallengeCard(
                challengeID: .random(), title: marker, challengeType: .steps, target: 1, durationDays: 1)),
        .voice(VoiceNote(file: file, duration: .seconds(1), waveform: [77, 77])),
        .image(ImageMessage(file: file, caption: marker)), .file(FileMessage(file: file, caption: marker)),
        .reaction(marker), .resendRequest, .unknown(type: marker, json: Array(#"{"a":"\#(marker)"}"#.utf8)),
    ]

    private static func message(_ content: ChatMessage.Content) -> ChatMessage {
        ChatMessage(
            id: .random(), conversation: .random(), position: nil, kind: .known(.message), target: nil,
            sender: device("alice/phone"), type: .known(.text), suite: nil, replyTo: nil, expiresAt: nil,
            createdAt: Timestamp(milliseconds: 0), content: content, editedAt: nil, reactions: ["bob": marker],
            status: nil)
    }

    private static func isDiscreet(_ value: Any) -> Bool {
        let text = shown(value)
        // Bytes are printed as numbers.
        return !text.contains(marker) && !text.contains("77, 77") && !text.contains("- 77\n")
    }

    @Test("a content, and a message and an event with it, show none of it")
    func content() throws {
        for content in Self.contents { #expect(Self.isDiscreet(content)) }
        let opened = try OpenedContent(type: .known(.text), json: textJSON(Self.marker))
        #expect(Self.isDiscreet(opened))
        let message = Self.message(.opened(opened))
        #expect(Self.isDiscreet(message) && Self.isDiscreet(message.content))
        let slice = HistorySlice(messages: [message], reachedStart: true, reachedEnd: true)
        var list = TimelineList()
        list.reload(slice)
        let events: [ClientEvent] = [.messageAdded(message), .messageChanged(message), .change(message)]
        for value in events + [slice, TimelineUpdate(from: [], to: list)] as [Any] {
            #expect(Self.isDiscreet(value))
        }
        // It says whose it is, and what became of it.
        #expect("\(message)".contains("alice/phone") && "\(message)".contains("text"))
        #expect("\(Self.message(.removed))".contains("removed"))
    }

    @Test("cards and files by themselves, and those that are to be sent, show nothing of what is in them")
    func parts() {
        #expect(Self.isDiscreet(Self.file))
        for case .image(let image) in Self.contents { #expect(Self.isDiscreet(image)) }
        for case .dietPlan(let card) in Self.contents { #expect(Self.isDiscreet(card)) }
        for case .challenge(let card) in Self.contents { #expect(Self.isDiscreet(card)) }
        #expect(Self.isDiscreet(OutgoingFile("/home/\(Self.marker)", name: Self.marker, caption: Self.marker)))
    }

    @Test("tokens, passwords and what a device is reached by are not shown")
    func secrets() throws {
        let credentials = DeviceCredentials(
            username: "alice", clientID: "alice:phone", password: Self.marker, expiresAt: .latest)
        #expect(Self.isDiscreet(credentials) && "\(credentials)".contains("alice:phone"))
        #expect(
            Self.isDiscreet(
                SignIn(
                    gateway: .unixSocket(path: "/x"), clientID: "alice:phone", credentials: credentials,
                    timeout: .seconds(1))))
        #expect(Self.isDiscreet(try #require(AccountPassword(Self.marker))))
        #expect(Self.isDiscreet(IdentityProof(provider: "apple", token: Self.marker, nonce: Self.marker)))
        let url = try #require(WebURL("https://push.example/\(Self.marker)"))
        for target: PushTarget in [
            .fcm(token: Self.marker), .apns(token: Self.marker, topic: "app"), .webhook(url, secret: Self.marker),
            .webPush(url, p256dh: [77, 77], auth: [77, 77]),
        ] {
            #expect(Self.isDiscreet(target))
        }
    }

    @Test("what is searched for is found where it is shown")
    func isSharp() {
        struct Open {
            let text = PrintedContentTests.marker
            let bytes: [UInt8] = [77, 77]
        }
        #expect(!Self.isDiscreet(Open()) && !Self.isDiscreet(Open().bytes))
    }
}
