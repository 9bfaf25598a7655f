import ParleyProtocol
import ParleyRules
import TestNames
import TestSupport
import Testing

/// `docs/permissions.md`, made by asking the engine about everything that there can be between alice and bob.
@Suite("docs/permissions.md against the code")
struct PermissionsDocumentTests {
    @Test("the steps and what they can decide")
    func stepsTable() throws {
        let explanations =
            Case.all.map(\.explanation) + [
                PermissionExplanation(from: "alice", to: "alice", nil, now: at(0), renewal: .zero),
                PermissionExplanation(from: "alice", to: "nobody", nil, now: at(0), renewal: .zero),
            ]
        let rows = MessagingPermission.Step.allCases.map { step -> [String] in
            let verdicts = explanations.filter { $0.steps.first(where: \.holds)?.step == step }.map(\.permission.shown)
            return ["`\(step.rawValue)`", step.meaning, Set(verdicts).sorted().joined(separator: "; ")]
        }
        let last = Set(explanations.filter { !$0.steps.contains(where: \.holds) }.map(\.permission.shown)).sorted()
        try Document("permissions.md").expect(
            "steps",
            is: table(
                ["step", "holds when", "then"], rows + [["none of them", "", last.joined(separator: "; ")]]))
    }

    @Test("what the engine says, for all that there can be between two")
    func pairsTable() throws {
        let features = Case.features
        let rows = DecisionRow.rows(features[...], given: Case(), decide: \.permission)
            .map { row in row.cells(of: features) + [row.decision.shown] }
        try Document("permissions.md").expect("cases", is: table(features.map(\.name) + ["alice to bob"], rows))
    }

    @Test("what each verdict permits")
    func verdictsTable() throws {
        let verdicts: [MessagingPermission] = [.allowed(.anyone), .request, .refused(.requestLimit)]
        let rows = verdicts.map { verdict in
            [verdict.word] + MessagingPermission.Action.allCases.map { verdict.permits($0) ? "yes" : "no" }
        }
        try Document("permissions.md").expect(
            "actions", is: table(["verdict"] + MessagingPermission.Action.allCases.map(\.rawValue), rows))
    }

    @Test("what the two see of their conversation")
    func sightTable() throws {
        var rows: [[String]] = []
        for story in Story.all {
            var relationship = Relationship(Contact(strangers: "alice", "bob"), openFor: nil)
            let now = at(story.days * Case.day)
            for (user, act) in story.acts {
                try relationship.perform(act, by: user, now: at(0), renewal: .milliseconds(Case.renewal))
            }
            let audience = relationship.audience
            let hearers = (audience?.members ?? []).map { user in
                audience?.blockers.contains(user) == true ? "\(user) (own acts)" : user.text
            }
            rows.append(
                [
                    story.title,
                    relationship.permission(of: "alice", now: now, renewal: .milliseconds(Case.renewal)).shown,
                    relationship.permission(of: "bob", now: now, renewal: .milliseconds(Case.renewal)).shown,
                    (audience?.members ?? []).map(\.text).joined(separator: ", "),
                    hearers.isEmpty ? "nobody" : hearers.joined(separator: ", "),
                ])
        }
        try Document("permissions.md").expect(
            "sides", is: table(["what has happened", "alice to bob", "bob to alice", "open for", "heard by"], rows))
    }
}

/// One of all the things that there can be between alice and bob.
private struct Case {
    static let day: Int64 = 86_400_000
    static let renewal = 30 * day

    var alice = Contact.Side()
    var bob = Contact.Side()
    var friendsUntil: Timestamp?

    var explanation: PermissionExplanation {
        PermissionExplanation(
            from: "alice", to: "bob", Contact("alice", alice, "bob", bob, friendsUntil: friendsUntil),
            now: at(100 * Case.day), renewal: .milliseconds(Case.renewal))
    }

    var permission: MessagingPermission { explanation.permission }

    typealias Feature = DecisionFeature<Case>

    static let features: [Feature] = [
        Feature(
            name: "alice's stance", values: stances.map { name, stance in (name, { $0.alice.stance = stance }) }),
        Feature(name: "bob's stance", values: stances.map { name, stance in (name, { $0.bob.stance = stance }) }),
        Feature(
            name: "bob's `message_privacy`",
            values: MessagePrivacy.allCases.map { privacy in ("`\(privacy.rawValue)`", { $0.bob.privacy = privacy }) }),
        Feature(
            name: "alice's request",
            values: requests.map { request in (request?.rawValue ?? "none", { $0.alice.request = request }) }),
        Feature(
            name: "bob's request",
            values: requests.map { request in (request?.rawValue ?? "none", { $0.bob.request = request }) }),
        Feature(
            name: "friends until",
            values: [
                ("never", { _ in }), ("31 days ago", { $0.friendsUntil = at(69 * day) }),
                ("a day ago", { $0.friendsUntil = at(99 * day) }),
            ]),
    ]

    private static let stances: [(String, Contact.Stance)] = [
        ("neutral", .neutral), ("follows", .follows),
        ("blocks", .blocks(restoring: .init(follow: true, acceptance: true))),
    ]

    private static let requests: [MessageRequestState?] = [nil] + MessageRequestState.allCases

    static let all: [Case] = features.reduce([Case()]) { cases, feature in
        cases.flatMap { existing in
            feature.values.map { value in
                var next = existing
                value.set(&next)
                return next
            }
        }
    }
}

/// What people do, one after the other.
private struct Story {
    let title: String
    let acts: [(UserID, Relationship.Act)]
    /// How many days later it is looked at.
    var days: Int64 = 0

    private static let asked: [(UserID, Relationship.Act)] = [("alice", .create), ("alice", .write)]
    private static let friends: [(UserID, Relationship.Act)] = [
        ("alice", .follow), ("bob", .follow), ("alice", .create),
    ]

    static let all: [Story] = [
        Story(title: "alice makes the conversation", acts: [("alice", .create)]),
        Story(title: "… and writes: a request waits for bob", acts: asked),
        Story(title: "… bob accepts", acts: asked + [("bob", .accept)]),
        Story(title: "… bob answers", acts: asked + [("bob", .write)]),
        Story(title: "… bob declines", acts: asked + [("bob", .decline)]),
        Story(title: "… bob declines, and answers after all", acts: asked + [("bob", .decline), ("bob", .write)]),
        Story(
            title: "… alice follows bob, and bob follows back", acts: asked + [("alice", .follow), ("bob", .follow)]),
        Story(title: "… bob blocks alice", acts: asked + [("bob", .block)]),
        Story(title: "… and ends the block", acts: asked + [("bob", .block), ("bob", .unblock)]),
        Story(title: "… bob lets anyone write", acts: asked + [("bob", .setPrivacy(.anyone))]),
        Story(title: "… and alice writes again", acts: asked + [("bob", .setPrivacy(.anyone)), ("alice", .write)]),
        Story(title: "friends have a conversation", acts: friends),
        Story(title: "… bob blocks alice", acts: friends + [("bob", .block)]),
        Story(title: "… and ends the block", acts: friends + [("bob", .block), ("bob", .unblock)]),
        Story(title: "… bob unfollows alice", acts: friends + [("bob", .unfollow)]),
        Story(title: "… 30 days ago", acts: friends + [("bob", .unfollow)], days: 30),
    ]
}

extension MessagingPermission {
    fileprivate var word: String {
        switch self {
        case .allowed: "allowed"
        case .request: "one message"
        case .refused: "refused"
        }
    }

    fileprivate var shown: String { "\(word) (`\(reason)`)" }
}
