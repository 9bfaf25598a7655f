import LyingGateway
import ParleyClient
import ParleyProtocol

/// One lie, told once: about somebody, at some moment, and then a message to that somebody.
struct Play: Hashable, Sendable, CustomStringConvertible {
    let lie: Lie
    let scene: Lie.Scene
    let moment: Lie.Moment

    /// Every lie with everybody about whom, and at every moment at which, it can be told.
    static let all = Lie.allCases.filter { $0.family != .endless && !$0.isAboutOneself }.flatMap { lie in
        lie.scenes.flatMap { scene in lie.moments.map { Play(lie: lie, scene: scene, moment: $0) } }
    }

    var description: String { "\(lie), to \(scene.rawValue), \(moment.rawValue)" }

    /// What came of it.
    struct Outcome: Sendable {
        /// What the attacker has read.
        var readings: [Reading] = []
        /// Whether the attacker's words were shown as somebody else's.
        var isBelieved = false
        /// Whether the person was told that something is wrong, after the lie and before the end.
        var isWarned = false
        /// Whether the number that is shown at the end is the one that the other person sees; `nil` where there is
        /// none.
        var hasTrueNumber: Bool?

        var succeeds: Bool { !readings.isEmpty || isBelieved }
    }
}

extension Play {
    private static let partner = UserID(validated: "bob")
    /// An honest friend: what is sent there after the lie has gone out shows that everything before has had its turn.
    private static let friend = UserID(validated: "dora")

    /// - Parameter isHonest: whether the lie is left out, and all the rest done.
    func perform(isHonest: Bool = false) async throws -> Outcome {
        let gateway = try LyingGateway()
        let alice = try LiedToDevice(at: gateway)
        try gateway.add(Play.partner, hasAccount: scene != .uncertified)
        try gateway.add(Play.friend, hasAccount: true)
        let group = gateway.makeGroup(of: [alice.user, Play.partner, Play.friend])
        let isToldBefore = moment == .beforeFirstContact && lie.way != .event
        if isToldBefore {
            if lie.way == .connecting { try gateway.acquaint(alice.user, with: Play.partner) }
            if !isHonest { try gateway.tell(lie, about: Play.partner, to: alice.address) }
        }
        return try await alice.chat { client, events in
            var stage = Stage(gateway: gateway, alice: alice, client: client, play: self, group: group)
            if moment != .beforeFirstContact { try await stage.beginHonestly(&events) }
            try await stage.tell(isToldBefore || isHonest ? nil : lie, &events)
            return try await stage.send(&events)
        }
    }

    /// Where a play takes place.
    private struct Stage {
        let gateway: LyingGateway
        let alice: LiedToDevice
        let client: MessagingClient
        let play: Play
        let group: ConversationID
        var outcome = Outcome()
        /// How much was told before the lie.
        var toldBefore = 0

        /// The conversation with the other, as a person gets it; `nil` where the client refuses it.
        private mutating func contact() async throws -> ConversationID? {
            do throws(ClientError) {
                switch play.scene {
                case .certified, .uncertified: return try await client.conversation(with: Play.partner).id
                case .group: return try await client.conversation(group).id
                case .newGroup:
                    return try await client.groups.create(name: nil, with: [Play.partner, Play.friend]).id
                }
            } catch {
                if case .gatewayFault = error { outcome.isWarned = true }
                return nil
            }
        }

        mutating func beginHonestly(_ events: inout ClientEvents) async throws {
            guard let conversation = try await contact() else { return }
            try await client.write("before", in: conversation)
            try await events.catchUp(with: gateway, as: alice)
            guard play.moment == .beforeAccepting else { return }
            // The other has lost a phone, and everything with it.
            try gateway.reset(Play.partner)
            try await events.catchUp(with: gateway, as: alice)
        }

        /// Tells the lie, and has the client hear of it.
        mutating func tell(_ lie: Lie?, _ events: inout ClientEvents) async throws {
            let tellsBeforeComparing = lie == .keys(.comparedIsNotFetched)
            var compared: ShownNumber?
            if play.moment == .beforeAccepting, !tellsBeforeComparing {
                compared = try await client.shownNumber(with: Play.partner)
            }
            if play.lie.way == .event, play.moment == .beforeFirstContact {
                try gateway.acquaint(alice.user, with: Play.partner)
                try await events.catchUp(with: gateway, as: alice)
            }
            if play.moment != .beforeFirstContact { try await events.catchUp(with: gateway, as: alice) }
            toldBefore = play.moment == .beforeFirstContact ? 0 : events.taken.count
            if let lie { try gateway.tell(lie, about: Play.partner, to: alice.address) }
            if tellsBeforeComparing { compared = try await client.shownNumber(with: Play.partner) }
            if play.moment == .betweenSends, play.lie.way == .connecting {
                gateway.dropConnections()
                try await events.wait(for: "another connection") { if case .connected = $0 { true } else { false } }
                try await client.ready(timeout: .seconds(120))
            }
            if play.moment == .betweenSends {
                for user in [Play.partner, alice.user] { gateway.announceKeys(of: user) }
            }
            try await events.catchUp(with: gateway, as: alice)
            if let compared {
                // The keys are fetched again meanwhile, as another message or another look at them has it.
                _ = try? await client.shownNumber(with: Play.partner)
                _ = try? await client.keys.accept(compared.shown)
            }
            if case .keys(let lie)? = lie {
                for _ in 1..<max(lie.listings, 1) { _ = try? await client.shownNumber(with: Play.partner) }
            }
        }

        /// Writes what the attacker would like to read, and sees what came of it.
        mutating func send(_ events: inout ClientEvents) async throws -> Outcome {
            let conversation = try await contact()
            if let conversation { _ = try await client.send(.text("a secret"), to: conversation) }
            try await client.write("anything", to: Play.friend)
            try await events.catchUp(with: gateway, as: alice)
            outcome.readings = gateway.readings
            var shown = events.taken
            if let conversation, let history = try? await client.history(of: conversation) {
                shown += history.messages.map { .messageAdded($0) }
            }
            outcome.isBelieved = shown.contains { $0.shownText == SenderLie.words }
            if events.taken.dropFirst(toldBefore).contains(where: \.warns) { outcome.isWarned = true }
            if let number = try? await client.shownNumber(with: Play.partner) {
                outcome.hasTrueNumber = gateway.isTrue(number.digits, of: alice.user, with: Play.partner)
            }
            return outcome
        }
    }
}
