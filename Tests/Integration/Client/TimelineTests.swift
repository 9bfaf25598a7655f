import ParleyClient
import ParleyProtocol
import TestSupport
import Testing

extension GatewayTests {
    @Suite("A conversation for a list view", .timeLimit(.minutes(20)))
    struct TimelineTests {
        private let one: ChatDevice
        private let other: ChatDevice

        init() async throws {
            (one, other) = try SharedGateway.chatters()
            try await befriend(one, other)
            for device in [one, other] { try await device.chat { _ in } }
        }

        /// The rows of a list view, by the updates that it is given.
        private struct View {
            private(set) var rows: [ChatMessage] = []
            private var updates: MessageTimeline.Iterator

            init(_ timeline: MessageTimeline) { updates = timeline.makeAsyncIterator() }

            mutating func draw(_ what: String, until isSo: ([ChatMessage]) -> Bool) async throws {
                while !isSo(rows) {
                    guard let update = await updates.next() else { throw NeverCameError(what) }
                    for row in update.removed { rows.remove(at: row) }
                    for row in update.inserted { rows.insert(update.messages[row], at: row) }
                    for row in update.updated { rows[row] = update.messages[row] }
                    #expect(rows == update.messages)
                }
            }
        }

        @Test("it follows new messages, edits, reactions, receipts, deletions and disappearing messages")
        func live() async throws {
            try await chat(one, other) { alice, bob in
                let conversation = try await alice.conversation(with: other.user).id
                var (atAlice, atBob) = (View(alice.timeline(of: conversation)), View(bob.timeline(of: conversation)))
                let id = try await alice.send(.text("first words"), to: conversation)
                try await atBob.draw("the message") { $0.map(\.text) == ["first words"] }
                try await alice.edit(id, in: conversation, to: .text("second thoughts"))
                try await atBob.draw("the edit") { $0.map(\.text) == ["second thoughts"] }
                try await bob.react(to: id, in: conversation, with: "👍")
                try await atAlice.draw("the reaction") { $0.first?.reactions == [other.user: "👍"] }
                try await bob.markRead(conversation, upTo: id)
                try await atAlice.draw("the receipt") { $0.first?.status == .read }
                let short = try await alice.send(.text("not for long"), to: conversation, expiresIn: .seconds(1))
                try await atBob.draw("the short one") { $0.contains { $0.id == short } }
                try await atBob.draw("its end") { $0.map(\.id) == [id] }
                try await atAlice.draw("its end") { $0.map(\.id) == [id] }
                try await alice.delete(id, in: conversation)
                try await atBob.draw("the deletion") { $0.map(\.content) == [.removed] }
            }
        }
    }
}
