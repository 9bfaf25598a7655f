import ParleyProtocol
import ParleyRules
import TestNames
import Testing

@Suite("Accepting a report")
struct CreateReportRuleTests {
    private static let direct = conversation(.direct, [member("alice"), member("bob")])

    /// A record of bob's at the place 5.
    private static func record(
        type: MessageType = .text, sender: UserID = "bob", expiresAt: Timestamp? = nil
    ) -> MessageRecord {
        MessageRecord(
            id: .random(), conversation: .random(), epoch: "k3Jx9w", seq: 5, kind: .message, target: nil,
            sender: device(sender, "phone"), type: type, suite: .naclBox, content: [1, 2, 3], nonce: [4],
            recipientKeys: nil, replyTo: nil, expiresAt: expiresAt, createdAt: at(0))
    }

    private func decide(
        _ subject: CreateReportRule.Subject,
        _ request: CreateReport = CreateReport(id: .random(), reason: "spam", subject: .user("bob"))
    ) throws(Rejection) -> Report {
        try CreateReportRule.decide(request, by: "alice", subject, now: at(100))
    }

    @Test("a user is reported in the reporter's words, with what they chose to reveal")
    func reportOfAUser() throws {
        let request = CreateReport(
            id: .random(), reason: "rude", subject: .user("bob"), evidence: Array(#"{"said":"…"}"#.utf8))
        #expect(
            try decide(.user("bob"), request)
                == Report(
                    id: request.id, reporter: "alice", reason: "rude", user: "bob", message: nil,
                    evidence: request.evidence, createdAt: at(100)))
    }

    @Test("a message is kept as it is, and is about its sender")
    func reportOfAMessage() throws {
        let record = Self.record()
        let report = try decide(.message(record, in: Self.direct))
        var writer = JSONWriter()
        record.write(to: &writer)
        #expect(report.user == "bob")
        #expect(report.message == writer.finish())
    }

    @Test(
        "a message that is past its time is kept without its ciphertext",
        arguments: [(99, true), (100, true), (101, false)])
    func disappearing(expiresAt: Int64, isGone: Bool) throws {
        let record = Self.record(expiresAt: at(expiresAt))
        let report = try decide(.message(record, in: Self.direct))
        let kept = try MessageRecord(json: try #require(report.message))
        #expect((kept.content == nil) == isGone)
    }

    @Test(
        "only what the reporter has seen can be reported, and of the rest not even that it is there",
        arguments: [
            (member("alice"), nil), (member("alice", isOpen: false), nil), (member("alice", visibleFrom: 4), nil),
            (member("alice", visibleFrom: 5), .notFound), (member("carol"), .notFound),
        ] as [(MemberFacts, ErrorCode?)])
    func visibility(reporter: MemberFacts, expected: ErrorCode?) {
        let seen = conversation(.direct, [reporter, member("bob")])
        let refused = rejection { try decide(.message(Self.record(), in: seen)) }
        #expect(refused?.code == expected)
        if expected == .notFound {
            let unknown = rejection { try decide(.unknownMessage) }
            #expect(refused == unknown)
        }
    }

    @Test("nobody reports themselves, and nobody the gateway")
    func nobodyReportsThemselves() {
        let group = conversation(.group, [member("alice"), member("bob")])
        let subjects: [(CreateReportRule.Subject, ErrorCode)] = [
            (.unknownUser, .notFound), (.user("alice"), .badRequest),
            (.message(Self.record(sender: "alice"), in: group), .badRequest),
            (.message(Self.record(type: .system), in: group), .badRequest),
        ]
        for (subject, code) in subjects {
            #expect(rejection { try decide(subject) }?.code == code)
        }
    }
}
