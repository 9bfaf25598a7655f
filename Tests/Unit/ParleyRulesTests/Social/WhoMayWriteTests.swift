import ParleyProtocol
import ParleyRules
import TestNames
import Testing

/// What Alice may do toward Bob, with what is between the two.
struct PermissionCase: Sendable, CustomTestStringConvertible {
    let testDescription: String
    let alice: Contact.Side
    let bob: Contact.Side
    let sinceUnfollowing: Int64?
    let verdict: MessagingPermission

    init(
        _ sentence: String, alice: Contact.Side = .init(), bob: Contact.Side = .init(), sinceUnfollowing: Int64? = nil,
        _ verdict: MessagingPermission
    ) {
        testDescription = sentence
        self.alice = alice
        self.bob = bob
        self.sinceUnfollowing = sinceUnfollowing
        self.verdict = verdict
    }

    static let renewal: Int64 = 30 * 86_400_000

    static let blocks = [
        PermissionCase("who has blocked is told so", alice: .init(blocks: true), .refused(.blocked)),
        PermissionCase("who was blocked writes what a stranger may write", bob: .init(blocks: true), .request),
        PermissionCase(
            "who was blocked and has written it is told that it is spent", alice: .init(request: .hidden),
            bob: .init(blocks: true), .refused(.requestLimit)),
        PermissionCase(
            "a block is the end of a friendship", alice: .init(follows: true), bob: .init(follows: true, blocks: true),
            sinceUnfollowing: renewal - 1, .refused(.requestLimit)),
        PermissionCase(
            "of two who have blocked each other each is told of their own block",
            alice: .init(blocks: true), bob: .init(blocks: true), .refused(.blocked)),
        PermissionCase(
            "a block counts before whom the other lets write", bob: .init(blocks: true, privacy: .anyone), .request),
        PermissionCase(
            "a block counts before mutual follow", alice: .init(follows: true),
            bob: .init(follows: true, blocks: true), .request),
        PermissionCase(
            "a block counts before an accepted request", alice: .init(request: .accepted), bob: .init(blocks: true),
            .refused(.requestLimit)),
        PermissionCase(
            "who has blocked may not write even to whom anyone may write",
            alice: .init(blocks: true), bob: .init(privacy: .anyone), .refused(.blocked)),
    ]

    static let grounds = [
        PermissionCase("anyone writes to whom anyone may write to", bob: .init(privacy: .anyone), .allowed(.anyone)),
        PermissionCase(
            "whom one lets write oneself does not matter", alice: .init(privacy: .anyone), .request),
        PermissionCase(
            "anyone is named before mutual follow", alice: .init(follows: true),
            bob: .init(follows: true, privacy: .anyone), .allowed(.anyone)),
        PermissionCase(
            "those who follow each other write", alice: .init(follows: true), bob: .init(follows: true),
            .allowed(.mutualFollow)),
        PermissionCase(
            "mutual follow is named before an accepted request", alice: .init(follows: true, request: .accepted),
            bob: .init(follows: true), .allowed(.mutualFollow)),
        PermissionCase("to follow is not enough", alice: .init(follows: true), .request),
        PermissionCase("to be followed is not enough", bob: .init(follows: true), .request),
        PermissionCase("who was accepted writes", alice: .init(request: .accepted), .allowed(.acceptedRequest)),
        PermissionCase("who has accepted writes", bob: .init(request: .accepted), .allowed(.acceptedRequest)),
    ]

    static let requests = [
        PermissionCase("a stranger asks by one message", .request),
        PermissionCase(
            "a message that waits is the only one", alice: .init(request: .waiting), .refused(.requestLimit)),
        PermissionCase(
            "one that was declined looks the same", alice: .init(request: .declined), .refused(.requestLimit)),
        PermissionCase(
            "one that a block has ended looks the same", alice: .init(request: .cancelled), .refused(.requestLimit)),
        PermissionCase(
            "what was written while anyone might counts as the one message", alice: .init(request: .open),
            .refused(.requestLimit)),
        PermissionCase("who was asked may answer", bob: .init(request: .waiting), .allowed(.acceptedRequest)),
        PermissionCase(
            "who has declined may still answer", bob: .init(request: .declined), .allowed(.acceptedRequest)),
        PermissionCase(
            "who was written to while anyone might may answer", bob: .init(request: .open),
            .allowed(.acceptedRequest)),
        PermissionCase(
            "what a block has ended can be answered by a request only", bob: .init(request: .cancelled), .request),
        PermissionCase(
            "who was asked may answer though their own message is spent", alice: .init(request: .cancelled),
            bob: .init(request: .waiting), .allowed(.acceptedRequest)),
    ]

    static let renewals = [
        PermissionCase(
            "nobody asks a moment before thirty days after an unfollowing", sinceUnfollowing: renewal - 1,
            .refused(.requestLimit)),
        PermissionCase("after thirty days one asks again", sinceUnfollowing: renewal, .request),
        PermissionCase(
            "thirty days give back no message that is spent", alice: .init(request: .waiting),
            sinceUnfollowing: renewal, .refused(.requestLimit)),
        PermissionCase(
            "an unfollowing takes nothing from whom was accepted", alice: .init(request: .accepted),
            sinceUnfollowing: 0, .allowed(.acceptedRequest)),
        PermissionCase(
            "an unfollowing takes nothing where anyone may write", bob: .init(privacy: .anyone), sinceUnfollowing: 0,
            .allowed(.anyone)),
    ]
}

@Suite("Who may write to whom")
struct WhoMayWriteTests {
    private static let day = at(0)

    @Test(
        "every case of the table is decided as it says, whoever stands first",
        arguments: PermissionCase.blocks + PermissionCase.grounds + PermissionCase.requests + PermissionCase.renewals)
    func decision(_ example: PermissionCase) {
        let unfollowed = example.sinceUnfollowing.map { Self.day.advanced(byMilliseconds: -$0) }
        for (alice, bob) in [("alice", "bob"), ("zoe", "bob")] as [(UserID, UserID)] {
            let contact = Contact(alice, example.alice, bob, example.bob, friendsUntil: unfollowed)
            let verdict = MessagingPermission.decide(
                from: alice, to: bob, contact, now: Self.day, renewal: .milliseconds(PermissionCase.renewal))
            #expect(verdict == example.verdict)
        }
    }

    @Test("a refusal has its code, and what is allowed has none")
    func rejections() {
        let codes = MessagingPermission.Refusal.allCases.map { MessagingPermission.refused($0).rejection?.code }
        #expect(codes == [.badRequest, .notFound, .blocked, .requestLimit])
        for ground in MessagingPermission.Ground.allCases {
            #expect(MessagingPermission.allowed(ground).rejection == nil)
        }
        #expect(MessagingPermission.request.rejection == nil)
    }

    @Test("each verdict has a reason of its own")
    func reasons() {
        let verdicts =
            MessagingPermission.Ground.allCases.map(MessagingPermission.allowed) + [.request]
            + MessagingPermission.Refusal.allCases.map(MessagingPermission.refused)
        #expect(
            verdicts.map(\.reason) == [
                "anyone", "mutual_follow", "accepted_request", "request", "self", "unknown_user", "blocked",
                "request_limit",
            ])
    }
}
