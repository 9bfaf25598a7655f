import Foundation
import LyingGateway
import ParleyClient
import ParleyProtocol
import TestSupport
import Testing

@Suite("Random sequences of lies", .ownThreads, .timeLimit(.minutes(600)))
struct SequenceTests {
    /// So many are played; `PARLEY_SEQUENCES` says another number.
    private static let count =
        ProcessInfo.processInfo.environment["PARLEY_SEQUENCES"].flatMap { Int($0) }
        ?? TestForm.count(short: 60, whole: 200)
    /// So many with one client and one gateway.
    private static let batch = 30

    private static let batches = stride(from: 0, to: count, by: batch).map { $0..<min($0 + batch, count) }

    @Test(
        "whatever a gateway says in whatever order, nothing is sealed for an attacker", .seeded, arguments: batches)
    func sequences(_ numbers: Range<Int>) async throws {
        let start = ContinuousClock.now
        let sent = try await play(numbers)
        // Of what is never sent nothing can be read.
        #expect(sent > numbers.count)
        let seconds = Double((ContinuousClock.now - start) / .milliseconds(1)) / 1000
        print("\(numbers.count) sequences, \(sent) messages opened by whom they were for, in \(seconds) s")
    }

    /// - Returns: how many messages honest people could open.
    private func play(_ numbers: Range<Int>) async throws -> Int {
        let gateway = try LyingGateway()
        let alice = try LiedToDevice(at: gateway)
        let friend = UserID(validated: "dora")
        try gateway.add(friend, hasAccount: true)
        return try await alice.chat { client, events in
            var opened = 0
            let dora = try await client.conversation(with: friend).id
            for number in numbers {
                var sequence = try Sequence(number, gateway, alice, client)
                try await sequence.play(&events)
                // When this is out, everything before has had its turn.
                try await client.write("anything", in: dora)
                opened += gateway.heard.count
                let readings = gateway.takeReadings()
                let believed = events.takeAll().contains { $0.shownText == SenderLie.words }
                #expect(readings.isEmpty && !believed, "sequence \(number): \(sequence.steps.joined(separator: "; "))")
            }
            return opened
        }
    }
}

/// One random sequence of lies about one person, of honest changes, and of what the client does.
private struct Sequence {
    private let gateway: LyingGateway
    private let alice: LiedToDevice
    private let client: MessagingClient
    private let partner: UserID
    private let hasAccount: Bool
    private var random: Seeded
    private var conversation: ConversationID?
    /// What was done, for whoever looks for why.
    private(set) var steps: [String] = []

    private static let lies = Lie.allCases.filter { $0.family != .endless && !$0.isAboutOneself }

    /// Those that can be told of this person.
    private var ownLies: [Lie] {
        Sequence.lies.filter { lie in
            lie.scenes.contains(hasAccount ? .certified : .uncertified)
                || lie.family == .conversation && lie.scenes.contains(.certified)
        }
    }

    /// Those that come to nothing but a wait, which would hold up a sequence.
    private static let waits: Set<Lie> = [.refusal(.namesStranger), .refusal(.withoutEnd)]

    init(_ number: Int, _ gateway: LyingGateway, _ alice: LiedToDevice, _ client: MessagingClient) throws {
        self.gateway = gateway
        self.alice = alice
        self.client = client
        partner = UserID(validated: "peer-\(number)")
        random = Seeded(stream: UInt64(number))
        hasAccount = random.chance(0.7)
        try gateway.add(partner, hasAccount: hasAccount)
    }

    mutating func play(_ events: inout ClientEvents) async throws {
        try await meet()
        for _ in 0..<random.number(3...8) { try await step(&events) }
        try await announce(&events)
        try await send()
    }

    /// The first contact: of keys the truth, as nobody can see another; of conversations perhaps a lie.
    private mutating func meet() async throws {
        if random.chance(0.3) {
            let lies = Sequence.lies.filter {
                $0.scenes == [.certified] && $0.family == .conversation && $0.moments.contains(.beforeFirstContact)
            }
            try tell(random.element(lies))
            try? await contact()
            if random.chance(0.5) { try await send() }
            beHonest()
        }
        try? await contact()
        try await send()
        if let conversation { try await client.write("met", in: conversation) }
    }

    private mutating func step(_ events: inout ClientEvents) async throws {
        switch random.number(0...11) {
        case 0...3: try tell(random.element(ownLies.filter { !Sequence.waits.contains($0) }))
        case 4: beHonest()
        case 5, 6: try await send()
        case 7, 8: try await announce(&events)
        case 9: try await compareAndAccept()
        case 10: try await changeHonestly(&events)
        default:
            steps.append("look")
            _ = try? await client.shownNumber(with: partner)
        }
    }

    private mutating func tell(_ lie: Lie) throws {
        steps.append("lie \(lie)")
        try gateway.tell(lie, about: partner, to: alice.address)
    }

    private mutating func beHonest() {
        steps.append("truth")
        gateway.beHonest(about: partner)
    }

    private mutating func contact() async throws {
        if conversation == nil { conversation = try await client.conversation(with: partner).id }
    }

    private mutating func send() async throws {
        guard let conversation else { return }
        steps.append("send")
        _ = try await client.send(.text("a secret"), to: conversation)
    }

    private mutating func announce(_ events: inout ClientEvents) async throws {
        steps.append("announce")
        for user in [partner, alice.user] { gateway.announceKeys(of: user) }
        try await events.catchUp(with: gateway, as: alice)
    }

    /// What a careful person does: accepts what is the same on both sides, and nothing else.
    private mutating func compareAndAccept() async throws {
        steps.append("compare")
        guard let number = try? await client.shownNumber(with: partner),
            gateway.isTrue(number.digits, of: alice.user, with: partner)
        else { return }
        if random.chance(0.5) {
            try tell(random.element(ownLies))
            if random.chance(0.5) { _ = try? await client.shownNumber(with: partner) }
        }
        steps.append("accept")
        _ = try? await client.keys.accept(number.shown)
    }

    /// The person has a new phone, a tablet, or nothing left.
    private mutating func changeHonestly(_ events: inout ClientEvents) async throws {
        switch random.number(0...2) {
        case 0:
            steps.append("new keys")
            try gateway.renewKeys(of: partner)
        case 1:
            steps.append("tablet")
            try gateway.renewKeys(of: partner, device: DeviceID(validated: "tablet"))
        default:
            steps.append("reset")
            try gateway.reset(partner)
        }
        try await events.catchUp(with: gateway, as: alice)
    }
}
