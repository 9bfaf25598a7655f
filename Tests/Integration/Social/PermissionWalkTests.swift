import ParleyProtocol
import Oracles
import TestSupport
import Testing

extension GatewayTests {
    /// The gateway's answers over MQTT, beside the oracle that the permission engine is compared with.
    @Suite("Permissions over MQTT")
    struct PermissionWalkTests {
        @Test("three people who do what comes to mind are answered as the words say", .seeded, arguments: 0..<4)
        func walk(_ number: Int) throws {
            let gateway = try SharedGateway.current
            var random = Seeded(stream: UInt64(number))
            let people = try gateway.clients(3, privacy: .followers)
            var walk = PermissionWalk(people)
            for _ in 0..<100 {
                let event = Event.random(among: people.count, using: &random)
                if case .passes = event { continue }
                try walk.step(event)
            }
            try walk.compareLists()
        }
    }
}

/// People connected to a gateway, and the oracle's history of their acts.
struct PermissionWalk {
    private var history: History
    private let devices: [DeviceClient]

    init(_ devices: [DeviceClient]) {
        self.devices = devices
        history = History(people: devices.count)
    }

    /// Performs the event, and compares the answer and the permissions of the two afterwards.
    mutating func step(_ event: Event) throws {
        let expected = history.append(event)
        let code = try perform(event)
        #expect(code == expected.code, "\(story)")
        guard let actor = event.actor, let other = event.other else { return }
        try compare(actor, other)
        try compare(other, actor)
    }

    private var story: String { history.events.map(\.description).joined(separator: ", ") }

    private func device(_ person: Person) -> DeviceClient { devices[person.index] }

    /// - Returns: the code of the refusal, if it was refused.
    private func perform(_ event: Event) throws -> String? {
        func social(_ verb: String, _ actor: Person, _ other: Person) throws -> String? {
            try device(actor).refusal("social/\(verb)", ["user_id": .string(device(other).user)])
        }
        func answer(_ verb: String, _ actor: Person, _ other: Person) throws -> String? {
            try device(actor).refusal("requests/\(verb)", ["conversation_id": .string(try conversation(actor, other))])
        }
        switch event {
        case .follows(let actor, let other): return try social("follow", actor, other)
        case .unfollows(let actor, let other): return try social("unfollow", actor, other)
        case .blocks(let actor, let other): return try social("block", actor, other)
        case .unblocks(let actor, let other): return try social("unblock", actor, other)
        case .opens(let actor, let openness):
            let privacy: JSON = openness == .anyone ? "anyone" : "followers"
            return try device(actor).refusal("profile/set", ["message_privacy": privacy])
        case .creates(let actor, let other):
            _ = try device(actor).conversation(with: device(other).user)
            return nil
        case .writes(let actor, let other):
            let conversation = try device(actor).conversation(with: device(other).user)
            return try device(actor).refusal("messages/send", message(conversation))
        case .accepts(let actor, let other): return try answer("accept", actor, other)
        case .declines(let actor, let other): return try answer("decline", actor, other)
        case .passes: preconditionFailure("a walk takes no time")
        }
    }

    /// The id that both would make, whether there is such a conversation or not.
    private func conversation(_ one: Person, _ other: Person) throws -> String {
        try directConversation(device(one).user, device(other).user)
    }

    // MARK: - What one is told

    private func compare(_ caller: Person, _ other: Person) throws {
        let verdict = history.verdict(from: caller, to: other)
        let told = try device(caller).accepted("social/can-message", ["user_id": .string(device(other).user)])
        #expect(told["can_message"] == .bool(verdict.canMessage), "\(caller) to \(other): \(story)")
        #expect(told["is_limited"] == .bool(verdict.isLimited), "\(caller) to \(other): \(story)")
        #expect(told["reason"].text == verdict.reason, "\(caller) to \(other): \(story)")

        let waiting = try device(caller).accepted("requests/list")["items"].elements.contains {
            $0["user_id"].text == device(other).user
        }
        #expect(waiting == history.isWaiting(from: other, for: caller), "\(other)'s request for \(caller): \(story)")
        let conversation = try conversation(caller, other)
        let listed = try device(caller).accepted("conversations/list")["conversations"].elements.contains {
            $0["id"].text == conversation
        }
        #expect(listed == history.isOpen(for: caller, with: other), "\(caller)'s with \(other): \(story)")
    }

    func compareLists() throws {
        func list(_ verb: String, of person: Person) throws -> Set<String> {
            let items = try device(person).accepted("social/\(verb)")["items"].elements
            return Set(items.compactMap { $0["user_id"].text })
        }
        for person in history.everyone {
            let followers = Set(history.followers(of: person).map { device($0).user })
            let following = Set(history.following(of: person).map { device($0).user })
            #expect(try list("followers", of: person) == followers, "of \(person): \(story)")
            #expect(try list("following", of: person) == following, "of \(person): \(story)")
            #expect(
                try list("blocked", of: person) == Set(history.blocked(by: person).map { device($0).user }),
                "of \(person): \(story)")
            let profile = try device(person).accepted("profile/get")
            #expect(profile["followers_count"].int == followers.count, "of \(person): \(story)")
            #expect(profile["following_count"].int == following.count, "of \(person): \(story)")
        }
    }
}

extension Answer {
    /// Protocol §4.
    fileprivate var code: String? {
        switch self {
        case .ok, .sent: nil
        case .badRequest: "bad_request"
        case .notFound: "not_found"
        case .blocked: "blocked"
        case .requestLimit: "request_limit"
        }
    }
}

extension Verdict {
    /// `reason` of `social/can-message`, as `docs/permissions.md` has them.
    fileprivate var reason: String {
        switch self {
        case .allowed(.anyone): "anyone"
        case .allowed(.mutualFollow): "mutual_follow"
        case .allowed(.acceptedRequest): "accepted_request"
        case .request: "request"
        case .refused(.oneself): "self"
        case .refused(.unknownUser): "unknown_user"
        case .refused(.blockedByCaller): "blocked"
        case .refused(.requestLimit): "request_limit"
        }
    }
}
