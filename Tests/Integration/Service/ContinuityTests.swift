import Foundation
import ParleyClient
import ParleyProtocol
import Synchronization
import TestSupport
import Testing

/// A gateway is restored from a backup, with devices that have later messages.
@Suite("A gateway that is put back", .ownThreads, .oneMachine(.databaseFile), .seeded, .timeLimit(.minutes(20)))
struct ContinuityTests {
    /// What two people have said, and what of it the gateway has.
    private final class Ledger: Sendable {
        private let state = Mutex(State())

        struct State {
            /// In the order of sending: which are in the gateway's log of each conversation.
            var log: [ConversationID: [Int]] = [:]
            var backup: [ConversationID: [Int]] = [:]
            var had: [UserID: [ConversationID: Set<Int>]] = [:]
            var senders: [UserID] = []
        }

        /// The next number, which is `user`'s to say.
        func next(_ user: UserID) -> Int {
            state.withLock { state in
                state.senders.append(user)
                return state.senders.count - 1
            }
        }

        /// How many in the log are not a user's own.
        func others(_ user: UserID, _ conversation: ConversationID) -> Int {
            state.withLock { state in (state.log[conversation] ?? []).count { state.senders[$0] != user } }
        }

        func sent(_ number: Int, in conversation: ConversationID) {
            state.withLock { $0.log[conversation, default: []].append(number) }
        }

        func keep(_ users: [UserID]) {
            state.withLock { state in
                for user in users {
                    for (id, log) in state.log { state.had[user, default: [:]][id, default: []].formUnion(log) }
                }
            }
        }

        func backUp() { state.withLock { $0.backup = $0.log } }
        func restore() { state.withLock { $0.log = $0.backup } }

        func expected(_ user: UserID, _ conversation: ConversationID) -> [Int] {
            state.withLock { state in
                (state.had[user]?[conversation] ?? []).union(state.log[conversation] ?? []).sorted()
            }
        }

        func log(_ conversation: ConversationID) -> [Int] { state.withLock { $0.log[conversation] ?? [] } }
    }

    private let gateway: TestGateway
    private let one: ChatDevice
    private let other: ChatDevice
    private let direct: ConversationID
    private let group: ConversationID
    private let ledger = Ledger()

    init() async throws {
        let gateway = try TestGateway()
        let (one, other) = (try gateway.chatter(), try gateway.chatter())
        try await befriend(one, other)
        try await other.chat { _ in }
        (direct, group) = try await one.chat { alice in
            let direct = try await alice.conversation(with: other.user).id
            return (direct, try await alice.groups.create(name: "Both", with: [other.user]).id)
        }
        (self.gateway, self.one, self.other) = (gateway, one, other)
    }

    // MARK: Acts

    private var file: String { gateway.directory + "/kept" }

    private func backUp() throws {
        try? FileManager.default.removeItem(atPath: file)
        let result = try gateway.run(["backup", "--data", gateway.directory, file])
        #expect(result.status == 0, "\(result.errors)")
        ledger.backUp()
    }

    /// Stops the gateway and puts the backup back: by the command, or by hand, as if nobody had read the manual.
    private func putBack(_ round: Round) throws {
        gateway.endParleyd(round.killed ? SIGKILL : SIGTERM)
        if round.byHand {
            for suffix in ["", "-wal", "-shm"] {
                try? FileManager.default.removeItem(atPath: gateway.database + suffix)
            }
            try FileManager.default.copyItem(atPath: file, toPath: gateway.database)
        } else {
            let result = try gateway.run(["restore", "--data", gateway.directory, file])
            #expect(result.status == 0, "\(result.errors)")
            #expect(result.output.contains("conversations with a new epoch: 2"))
        }
        ledger.restore()
    }

    /// Each of the clients says something in both conversations.
    private func talk(_ clients: [MessagingClient], _ count: Int) async throws {
        for _ in 0..<count {
            for conversation in [direct, group] {
                for client in clients {
                    let number = ledger.next(client.device.user)
                    let id = try await client.send(.text("number \(number)"), to: conversation)
                    _ = try await client.outcome(of: id)
                    ledger.sent(number, in: conversation)
                }
            }
        }
        for conversation in [direct, group] {
            guard let last = ledger.log(conversation).last else { continue }
            for client in clients {
                try await waiting(for: "number \(last) at \(client.device)") {
                    try await client.history(of: conversation, limit: 1).messages.last?.number == last
                }
            }
        }
        ledger.keep(clients.map(\.device.user))
    }

    // MARK: Assertions

    private func check(_ clients: [MessagingClient], limit: Int) async throws {
        for client in clients {
            let user = client.device.user
            for conversation in [direct, group] {
                var numbers: [Int] = []
                var position = HistoryPosition.newest
                while true {
                    let slice = try await client.history(of: conversation, at: position, limit: limit)
                    #expect(
                        zip(slice.messages, slice.messages.dropFirst()).allSatisfy { one, next in
                            (one.position ?? Self.end) < (next.position ?? Self.end)
                        })
                    numbers = slice.messages.compactMap(\.number) + numbers
                    guard !slice.reachedStart, let first = slice.messages.first else { break }
                    position = .before(.id(first.id))
                }
                // In the order in which it was said, nothing twice, nothing gone, all of it readable.
                #expect(numbers == ledger.expected(user, conversation), "\(user) in \(conversation)")
                let others = ledger.others(user, conversation)
                try await waiting(for: "\(user) has \(others) unread") {
                    await client.conversations.all().first { $0.id == conversation }?.unreadCount == others
                }
            }
            for number in ledger.expected(user, direct).suffix(60) {
                #expect(try await client.search("\"number \(number)\"", in: direct).contains { $0.number == number })
            }
        }
    }

    private static let end = ChatMessage.Position(chapter: .max, epoch: "", seq: .max)

    // MARK: Runs

    /// How often what happens in one round.
    private struct Round {
        let before, lost, after: Int
        let byHand, killed: Bool

        init(_ generator: inout Seeded) {
            (before, lost, after) = (
                generator.number(0...25), generator.number(0...6), generator.number(1...30)
            )
            (byHand, killed) = (generator.chance(0.5), generator.chance(0.5))
        }
    }

    @Test("devices that stay signed in show all that they had and all that came since, once", arguments: [1, 2])
    func signedIn(_ stream: UInt64) async throws {
        var generator = Seeded(stream: 3200 + stream)
        let rounds = (0..<TestForm.count(short: 1, whole: 3)).map { _ in Round(&generator) }
        let limit = generator.number(3...60)
        try await chat(one, other) { alice, bob in
            for round in rounds {
                try await talk([alice, bob], round.before)
                try backUp()
                try await talk([alice, bob], round.lost)
                try putBack(round)
                try gateway.startParleyd()
                try await talk([alice, bob], round.after)
            }
            try await check([alice, bob], limit: limit)
        }
        expectNoticed(rounds)
    }

    @Test("devices that were away do, too, and what waited in them is sent", arguments: [3, 4])
    func away(_ stream: UInt64) async throws {
        var generator = Seeded(stream: 3200 + stream)
        let rounds = (0..<TestForm.count(short: 1, whole: 3)).map { _ in Round(&generator) }
        let limit = generator.number(3...60)
        for round in rounds {
            try await together { try await talk($0, round.before) }
            try backUp()
            // Bob is away, and never sees what is lost.
            try await one.chat { try await talk([$0], round.lost) }
            try putBack(round)
            let number = ledger.next(one.user)
            let waiting = try await MessagingClient.open(one.configuration) { [direct] alice in
                try await alice.send(.text("number \(number)"), to: direct)
            }
            try gateway.startParleyd()
            try await one.chat { _ = try await $0.outcome(of: waiting) }
            ledger.sent(number, in: direct)
            try await together { try await talk($0, round.after) }
        }
        try await together { try await check($0, limit: limit) }
        // Messages are read again from the disk.
        try await together { try await check($0, limit: limit) }
        expectNoticed(rounds)
    }

    private func together(_ body: @Sendable ([MessagingClient]) async throws -> Void) async throws {
        try await one.chat { [other] alice in try await other.chat { bob in try await body([alice, bob]) } }
    }

    /// The start reports the restored database, and nothing else.
    private func expectNoticed(_ rounds: [Round]) {
        let said = gateway.log.components(separatedBy: "the database was put back").count - 1
        #expect(said == rounds.count(where: \.byHand), "\(gateway.log)")
    }
}

extension ChatMessage {
    /// The number that it says.
    fileprivate var number: Int? { text.flatMap { $0.hasPrefix("number ") ? Int($0.dropFirst(7)) : nil } }
}
