import LyingGateway
import ParleyClient
import ParleyProtocol
import TestSupport
import Testing

@Suite("A gateway that lies about those who train together", .ownThreads, .timeLimit(.minutes(20)))
struct TrainingTests {
    private let bob = UserID(validated: "bob")
    private let gateway: LyingGateway
    private let alice: LiedToDevice

    init() throws {
        gateway = try LyingGateway()
        alice = try LiedToDevice(at: gateway)
        try gateway.add(bob, hasAccount: true)
    }

    /// Runs `body` with a client that has a group, a challenge, an invite and an activity, and hears of all of them.
    private func train<Value: Sendable>(
        _ body: @Sendable (Trainee, inout ClientEvents) async throws -> Value
    ) async throws -> Value {
        try await alice.chat { client, events in
            let trainee = try await Trainee(client, with: bob)
            return try await body(trainee, &events)
        }
    }

    @Test("as long as it tells the truth every question is answered and every event is told")
    func truth() async throws {
        let gateway = gateway
        try await train { trainee, events in
            try await trainee.awaitBoard()
            let (answers, foreign) = await trainee.askEverything()
            #expect(answers == Trainee.questions && foreign.isEmpty, "\(foreign)")
            _ = events.takeAll()
            gateway.tellOfTraining(trainee.group.id, in: trainee.chat, to: alice.user, and: bob)
            try await events.catchUp(with: gateway, as: alice)
            let told = events.takeAll()
            #expect(trainee.foreign(in: told).isEmpty)
            // The boards are their watchers'.
            #expect(told.count { $0.isOfTraining } == 15, "\(told)")
        }
    }

    @Test(
        "whatever its fields hold, nothing of another group is shown, no more is asked than is answered, and all goes on",
        .seeded, arguments: 0..<4)
    func fields(run: Int) async throws {
        var random = Seeded(stream: 7700 + UInt64(run))
        let seed = random.next()
        let gateway = gateway
        try await train { trainee, events in
            let (rounds, before) = (TestForm.count(short: 8, whole: 25), gateway.answered)
            var (answers, published) = (0, 0)
            gateway.lieAboutTraining(seed: seed)
            for round in 0..<rounds {
                published += gateway.tellOfTraining(trainee.group.id, in: trainee.chat, to: alice.user, and: bob)
                let asked = await trainee.askEverything()
                answers += asked.answers
                try await events.catchUp(with: gateway, as: alice)
                let foreign = asked.foreign + trainee.foreign(in: events.takeAll())
                #expect(foreign.isEmpty, "round \(round): \(foreign)")
            }
            #expect(trainee.foreignBoards.isEmpty)
            // Some lies are harmless, and others are refused.
            #expect(answers > rounds && answers < rounds * Trainee.questions)
            // Each question once, at most another for each event, and the reports that are told again.
            let asked = gateway.answered - before
            #expect(asked <= rounds * Trainee.questions + published + 200, "\(asked)")

            gateway.beHonestAboutTraining()
            _ = try await trainee.client.trainingGroups.group(trainee.group.id)
            _ = try await trainee.client.leaderboards.board(of: trainee.group.id, .checkIns)
            let message = try await trainee.client.send(.text("nevertheless"), to: trainee.chat)
            _ = try await trainee.client.outcome(of: message)
        }
        #expect(gateway.heard.map(\.text).contains(#"{"text":"nevertheless"}"#))
        #expect(gateway.readings.isEmpty)
    }

    @Test("of groups without end no more are followed than anybody can be in; it is told, and all goes on")
    func endless() async throws {
        let gateway = gateway
        try await train { trainee, events in
            gateway.tellOfGroups(3000, to: alice.user)
            try await events.catchUp(with: gateway, as: alice)
            let told = events.takeAll()
            let joined = told.count { if case .gateway(is GroupJoined) = $0 { true } else { false } }
            let faults = told.count { if case .gatewayFault(.endless) = $0 { true } else { false } }
            #expect(joined == 999 && faults == 1)
            _ = try await trainee.client.trainingGroups.group(trainee.group.id)
        }
    }
}

extension ClientEvent {
    fileprivate var isOfTraining: Bool {
        if case .gateway(let event) = self { !(event is PersonNotice) } else { false }
    }
}
