import HTTPClient
import ParleyProtocol
import ParleyRules
import TestNames
import TestSupport
import Testing

@testable import ParleyPush

/// `docs/push.md`, made by asking the rules about everything that there can be.
@Suite("docs/push.md against the code")
struct PushDocumentTests {
    @Test("the reasons, in the order in which they are asked for")
    func reasonsTable() throws {
        let kinds: [PushRules.Kind] = [.message(isUrgent: false), .message(isUrgent: true)]
        let feed = NotificationType.allCases
        let rows = PushRules.Reason.allCases.map { reason -> [String] in
            let silenced = feed.filter { reason.concerns(.feed($0)) }
            let ofFeed =
                silenced == feed
                ? "yes" : silenced.isEmpty ? "no" : silenced.map { "`\($0.rawValue)`" }.joined(separator: ", ")
            return [
                "`\(reason.rawValue)`", reason.sentence, kinds.allSatisfy(reason.concerns) ? "yes" : "no", ofFeed,
            ]
        }
        try Document("push.md").expect(
            "reasons", is: table(["reason", "what it says", "of messages", "of the feed"], rows))
    }

    @Test("whom the rules notify, for all that there can be")
    func casesTable() throws {
        let rows = DecisionRow.rows(Case.features[...], given: Case.ordinary, decide: Case.decisions)
            .map { row in row.cells(of: Case.features) + row.decision }
        try Document("push.md").expect("cases", is: table(Case.features.map(\.name) + Case.kinds.map(\.name), rows))
    }

    @Test("the types of notifications")
    func typesTable() throws {
        let rows = PushType.allCases.map { ["`\($0.rawValue)`", $0.meaning] }
        try Document("push.md").expect("types", is: table(["`type`", "what it tells"], rows))
    }

    @Test("what each answer of a push service means")
    func answersTable() throws {
        let rows = Reply.all.map { reply in
            [reply.name] + PushProvider.allCases.map { Set(reply.meanings(for: $0)).sorted().joined(separator: ", ") }
        }
        let failures: [(String, SendFailure)] = [
            ("no connection", .notSent("")), ("no answer, or half of one", .answerLost("")),
        ]
        let without = failures.map { name, failure in
            [name] + PushProvider.allCases.map { _ in ServiceAnswer(failure).answer.meaning }
        }
        try Document("push.md").expect(
            "answers",
            is: table(["answer"] + PushProvider.allCases.map { "`\($0.rawValue)`" }, rows + without))
    }
}

/// An answer that push services may give.
private struct Reply {
    let name: String
    let statuses: [Int]
    /// The only one that gives it, and what it names as the reason.
    var reason: (provider: PushProvider, name: String)?

    static let all: [Reply] = [
        Reply(name: "200, 201, 202, 204", statuses: [200, 201, 202, 204]),
        Reply(name: "redirects", statuses: [301, 302, 303, 307, 308]), Reply(name: "400", statuses: [400]),
        Reply(.apns, 400, "BadDeviceToken"), Reply(.apns, 400, "DeviceTokenNotForTopic"),
        Reply(.fcm, 400, "INVALID_ARGUMENT"), Reply(name: "401", statuses: [401]), Reply(name: "403", statuses: [403]),
        Reply(.apns, 403, "ExpiredProviderToken"), Reply(.apns, 403, "InvalidProviderToken"),
        Reply(.fcm, 403, "SENDER_ID_MISMATCH"), Reply(name: "404", statuses: [404]), Reply(.fcm, 404, "UNREGISTERED"),
        Reply(name: "408", statuses: [408]), Reply(name: "410", statuses: [410]), Reply(name: "413", statuses: [413]),
        Reply(name: "429", statuses: [429]), Reply(name: "500 to 599", statuses: [500, 502, 503, 504, 599]),
    ]

    private init(name: String, statuses: [Int]) {
        self.name = name
        self.statuses = statuses
    }

    private init(_ provider: PushProvider, _ status: Int, _ reason: String) {
        self.init(name: "\(status) `\(reason)`", statuses: [status])
        self.reason = (provider, reason)
    }

    /// What a provider's code makes of it; nothing where it does not give it.
    func meanings(for provider: PushProvider) -> [String] {
        guard reason.map({ $0.provider == provider }) ?? true else { return [] }
        return statuses.map { status in
            let reply = PushReply(status: status, body: Array(body(for: provider).utf8))
            let answer = PushProviders.kind(of: provider)?.read(reply, now: at(0))
            let meaning = answer?.answer.meaning ?? ""
            return answer?.needsToken == true ? "at once with a new token, else \(meaning)" : meaning
        }
    }

    private func body(for provider: PushProvider) -> String {
        guard let reason else { return "" }
        switch provider {
        case .apns: return #"{"reason":"\#(reason.name)"}"#
        case .fcm: return #"{"error":{"details":[{"errorCode":"\#(reason.name)"}]}}"#
        case .webpush, .webhook: return ""
        }
    }
}

extension PushAnswer {
    fileprivate var meaning: String {
        switch self {
        case .accepted: "taken"
        case .ended: "ends the registration"
        case .refused: "refused"
        case .later(let problem, _): problem.isUncertain ? "later, perhaps twice" : "later"
        case .notTried: "later"
        }
    }
}

/// All that there can be of one recipient.
private enum Case {
    static let ordinary = PushRules.Facts(.message(isUrgent: false))

    /// What can have happened: of each line of a table one column.
    static let kinds: [(name: String, kind: PushRules.Kind)] = [
        ("a message", .message(isUrgent: false)), ("an urgent one", .message(isUrgent: true)),
        ("a `reaction`", .feed(.reaction)), ("others of the feed", .feed(.challengeReceived)),
    ]

    typealias Feature = DecisionFeature<PushRules.Facts>

    /// In the order in which they are asked for.
    static let features: [Feature] = [
        Feature("their own") { $0.isOwn = $1 },
        Feature(
            name: "in the conversation then and now",
            values: [("no", { $0.isMember = false }), ("yes", { $0.isMember = true })]),
        Feature("withheld") { $0.isWithheld = $1 },
        Feature("gone") { $0.isGone = $1 },
        Feature("blocked") { $0.isBlocked = $1 },
        Feature("request waits") { $0.isRequestWaiting = $1 },
        Feature("read") { $0.isRead = $1 },
        Feature("muted") { $0.isMuted = $1 },
        Feature(
            name: "connected",
            values: [
                (
                    "yes",
                    {
                        $0.isConnected = true
                        $0.notifiesConnected = false
                    }
                ),
                (
                    "yes, with `push_always`",
                    {
                        $0.isConnected = true
                        $0.notifiesConnected = true
                    }
                ),
                (
                    "no",
                    {
                        $0.isConnected = false
                        $0.notifiesConnected = false
                    }
                ),
            ]),
        Feature("quiet hours") { $0.quietUntil = $1 ? at(0) : nil },
    ]

    /// What is decided of each kind.
    static func decisions(_ facts: PushRules.Facts) -> [String] {
        kinds.map { _, kind in
            var facts = facts
            facts.kind = kind
            return shown(PushRules.decide(facts))
        }
    }

    private static func shown(_ decision: PushRules.Decision) -> String {
        switch decision {
        case .notify: "**notify**"
        case .hold: "hold"
        case .skip(let reason): "`\(reason.rawValue)`"
        }
    }
}

extension DecisionFeature where Facts == PushRules.Facts {
    /// One that holds or does not.
    fileprivate init(_ name: String, _ set: @escaping @Sendable (inout PushRules.Facts, Bool) -> Void) {
        self.init(name: name, values: [("yes", { set(&$0, true) }), ("no", { set(&$0, false) })])
    }
}
