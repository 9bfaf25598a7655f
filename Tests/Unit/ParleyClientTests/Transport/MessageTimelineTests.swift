import MemoryTransport
import ParleyClient
import ParleyProtocol
import TestSupport
import Testing

@Suite("A conversation for a list view, over a network in memory", .seeded, .timeLimit(.minutes(20)))
struct MessageTimelineTests {
    /// A list view.
    private struct View {
        private(set) var rows: [ChatMessage] = []
        private var updates: MessageTimeline.Iterator

        init(_ timeline: MessageTimeline) { updates = timeline.makeAsyncIterator() }

        var texts: [String] {
            rows.map { row in
                guard case .opened(let content) = row.content, case .text(let text) = content.value else { return "" }
                return text
            }
        }

        /// Draws the next update by its rows.
        @discardableResult
        mutating func draw() async throws -> TimelineUpdate {
            guard let update = await updates.next() else { throw NeverCameError("another update") }
            for row in update.removed { rows.remove(at: row) }
            for row in update.inserted { rows.insert(update.messages[row], at: row) }
            for row in update.updated { rows[row] = update.messages[row] }
            #expect(rows == update.messages)
            return update
        }

        mutating func draw(until isSo: (View) -> Bool) async throws { while !isSo(self) { try await draw() } }
    }

    @Test("it begins with the newest page, goes on with what comes, and has earlier pages when asked")
    func pages() async throws {
        let device = try MemoryDevice()
        try await device.chat { client, chat, events in
            let texts = (1...10).map { "text \($0)" }
            try device.bobSays(texts)
            _ = try await events.texts(of: device.bob, until: "text 10")
            let timeline = client.timeline(of: chat, pageSize: 4)
            var view = View(timeline)
            let first = try await view.draw()
            #expect(first.isReloaded && !first.reachedStart && view.texts == Array(texts.suffix(4)))
            try device.bobSays(["text 11"])
            let next = try await view.draw()
            #expect(next.inserted == [4] && next.removed.isEmpty && view.texts.last == "text 11")
            for isLast in [false, true] {
                let top = try #require(view.rows.first?.id)
                // A person who scrolls asks often.
                for _ in 0..<3 { timeline.loadEarlier(than: top) }
                let earlier = try await view.draw()
                #expect(earlier.inserted == Array(0..<(isLast ? 2 : 4)) && earlier.problem == nil)
                #expect(earlier.reachedStart == isLast)
            }
            #expect(view.texts == texts + ["text 11"])
            // What was asked for twice changes nothing: the next update is of the next message.
            try device.bobSays(["text 12"])
            #expect(try await view.draw().inserted == [11])
        }
    }

    @Test("own messages are rows at once, move to where the log has them, and go when they are discarded")
    func own() async throws {
        let device = try MemoryDevice()
        try await device.chat { client, chat, _ in
            var view = View(client.timeline(of: chat))
            try await view.draw()
            #expect(view.rows.isEmpty)
            let id = try await client.send(.text("mine"), to: chat)
            try await view.draw { $0.rows.first?.id == id && $0.rows.first?.position != nil }
            #expect(view.texts == ["mine"] && view.rows[0].status == .sent)
            device.broker.refuseSignIns(.notAuthorized)
            device.broker.dropConnections()
            let other = try await client.send(.text("never sent"), to: chat)
            try await view.draw { $0.rows.count == 2 }
            #expect(view.rows[1].status == .queued && view.rows[1].position == nil)
            try await client.discard(other)
            try await view.draw { $0.rows.count == 1 }
            #expect(view.texts == ["mine"])
        }
    }

    @Test("whatever becomes of packets, the rows are the log's", arguments: 0..<3)
    func foul(run: Int) async throws {
        let device = try MemoryDevice()
        try await device.chat { client, chat, _ in
            var view = View(client.timeline(of: chat))
            try await view.draw()
            device.broker.set(.foul(0.1, Seeded(stream: 9300 + UInt64(run))))
            let texts = (1...12).map { "text \($0)" }
            for text in texts {
                try device.bobSays([text])
                _ = try await client.send(.text("answer to \(text)"), to: chat)
            }
            device.broker.set(.fair)
            try device.bobSays(["the last"])
            try await view.draw { view in view.rows.count == 25 && view.rows.allSatisfy { $0.position != nil } }
            #expect(view.rows.map(\.id) == device.broker.records(of: chat))
        }
    }

    @Test("a reader that is too slow gets the list anew, and misses nothing")
    func slow() async throws {
        let device = try MemoryDevice()
        try await device.chat(ahead: 4) { client, chat, _ in
            var view = View(client.timeline(of: chat))
            try await view.draw()
            for count in 1...6 {
                try device.bobSays(["text \(count)"])
                while try await client.history(of: chat).messages.count < count { await Task.yield() }
            }
            try await view.draw { $0.texts.count >= 2 }
            // With room again it is told what it has missed.
            try device.bobSays(["the last"])
            try await view.draw { $0.texts.last == "the last" && $0.texts.count == 7 }
        }
    }
}
