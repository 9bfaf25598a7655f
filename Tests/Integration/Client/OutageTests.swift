import Glibc
import ParleyClient
import ParleyProtocol
import Synchronization
import TestSupport
import Testing

@Suite("Clients when things break", .ownThreads, .timeLimit(.minutes(20)))
struct OutageTests {
    private let gateway: TestGateway
    private let one: ChatDevice
    private let other: ChatDevice
    private let conversation: ConversationID

    init() async throws {
        let gateway = try TestGateway()
        let (one, other) = (try gateway.chatter(), try gateway.chatter())
        try await other.chat { _ in }
        conversation = try await one.chat { alice in
            let conversation = try await alice.conversation(with: other.user).id
            _ = try await alice.outcome(of: try await alice.send(.text("0"), to: conversation))
            return conversation
        }
        (self.gateway, self.one, self.other) = (gateway, one, other)
    }

    private func restart() throws {
        try gateway.startBroker()
        try gateway.startParleyd()
    }

    private func end() {
        gateway.endParleyd(SIGKILL)
        gateway.endBroker(SIGKILL)
    }

    @Test("what is written while there is no gateway is sent once and in order, though the app was closed in between")
    func offline() async throws {
        end()
        let written = try await MessagingClient.open(one.configuration) { [conversation] alice in
            var ids: [MessageID] = []
            for number in 1...20 { ids.append(try await alice.send(.text("\(number)"), to: conversation)) }
            #expect(try await alice.history(of: conversation).messages.map(\.text) == (0...20).map { "\($0)" })
            return ids
        }
        try restart()
        try await one.chat { alice in
            for id in written { _ = try await alice.outcome(of: id) }
        }
        try await other.chat { [conversation] bob in
            let messages = try await bob.history(of: conversation).messages
            #expect(messages.map(\.text) == (0...20).map { "\($0)" })
            #expect(messages.dropFirst().map(\.id) == written)
        }
    }

    @Test("a gateway that is killed again and again in the middle loses and doubles nothing")
    func killed() async throws {
        let gateway = gateway
        try await chat(one, other) { [conversation] alice, bob in
            var ids: [MessageID] = []
            for round in 0..<3 {
                for number in 0..<10 {
                    ids.append(try await alice.send(.text("\(round) \(number)"), to: conversation))
                }
                if round == 1 { gateway.endBroker(SIGKILL) }
                gateway.endParleyd(SIGKILL)
                if round == 1 { try gateway.startBroker() }
                try gateway.startParleyd()
            }
            for id in ids { _ = try await alice.outcome(of: id) }
            for client in [alice, bob] {
                try await client.ready(timeout: chatPatience)
                var messages: [ChatMessage] = []
                try await waiting(for: "all messages") {
                    messages = try await client.history(of: conversation).messages.filter { $0.position != nil }
                    return messages.count > ids.count
                }
                #expect(messages.dropFirst().map(\.id) == ids)
                #expect(messages.compactMap { $0.position?.seq } == Array(1...ids.count + 1))
                #expect(messages.allSatisfy { $0.text != nil })
            }
        }
    }

    @Test("what was published while a client was away is fetched, and joins what comes live without a hole")
    func gap() async throws {
        let gateway = gateway
        try await other.chat { [conversation, one] bob in
            var atBob = ClientEvents(bob)
            for round in 0..<3 {
                // The broker forgets its sessions; Alice is back before Bob may be.
                gateway.endBroker(SIGKILL)
                gateway.endParleyd(SIGKILL)
                try gateway.startBroker()
                try gateway.startParleyd()
                try await one.chat { alice in
                    for number in 0..<5 {
                        let id = try await alice.send(.text("\(round) \(number)"), to: conversation)
                        _ = try await alice.outcome(of: id)
                    }
                }
            }
            var texts: [String?] = []
            var seqs: [Int] = []
            while seqs.last != 16 {
                let message = try await atBob.message(from: one.user)
                texts.append(message.text)
                seqs.append(message.position?.seq ?? 0)
            }
            #expect(seqs == Array(2...16))
            #expect(texts == (0..<3).flatMap { round in (0..<5).map { "\(round) \($0)" } })
        }
    }

    @Test("two clients of one device run side by side when one of them keeps nothing on disk, and two that do cannot")
    func sideBySide() async throws {
        var beside = one
        beside.configuration.storage = .memory
        beside.configuration.follows = .only([])
        let (chat, tool) = (one, beside)
        let (sent, received) = try await chat.chat { [conversation] client in
            var events = ClientEvents(client)
            let sent = try await tool.chat { tool in
                let id = try await tool.send(.text("beside"), to: conversation)
                return try await tool.outcome(of: id)
            }
            let message = try await events.message(from: chat.user)
            do {
                try await chat.chat { _ in }
                Issue.record("two clients have the database open")
            } catch ClientError.storage {
                // The first one goes on.
            }
            return (sent, message)
        }
        #expect(received.id == sent.id)
        #expect(received.text == "beside")
    }

    @Test("history goes both ways, from the device and from the gateway, and what was read is found by its words")
    func paging() async throws {
        try await one.chat { [conversation] alice in
            var last: MessageID?
            for number in 1...120 { last = try await alice.send(.text("number \(number)"), to: conversation) }
            if let last { _ = try await alice.outcome(of: last) }
        }
        var fresh = other
        fresh.configuration.storage = .memory
        try await fresh.chat { [conversation] bob in
            var slice = try await bob.history(of: conversation, limit: 30)
            #expect(slice.reachedEnd && !slice.reachedStart)
            var seqs = slice.messages.compactMap { $0.position?.seq }
            while !slice.reachedStart, let first = slice.messages.first {
                slice = try await bob.history(of: conversation, at: .before(.id(first.id)), limit: 30)
                seqs = slice.messages.compactMap { $0.position?.seq } + seqs
            }
            #expect(seqs == Array(1...121))
            let middle = try await bob.history(of: conversation, at: .around(.seq(60)), limit: 11)
            #expect(middle.messages.compactMap { $0.position?.seq } == Array(55...65))
            let after = try await bob.history(of: conversation, at: .after(.seq(118)), limit: 11)
            #expect(after.messages.map(\.text) == ["number 118", "number 119", "number 120"])
            #expect(after.reachedEnd && !after.reachedStart)
            #expect(try await bob.search("number 77").map(\.text) == ["number 77"])
            #expect(try await bob.search("nowhere").isEmpty)
        }
    }

    @Test("a message that is to go is gone when its time is over, here as at the other's")
    func expiry() async throws {
        let lead = Mutex(Duration.zero)
        let (one, other) = (one.ahead { lead.withLock { $0 } }, other.ahead { lead.withLock { $0 } })
        try await chat(one, other) { [conversation, one] alice, bob in
            var atBob = ClientEvents(bob)
            let id = try await alice.send(.text("soon gone"), to: conversation, expiresIn: .seconds(3600))
            let message = try await atBob.message(from: one.user)
            #expect(message.id == id && message.text == "soon gone")
            lead.withLock { $0 = .seconds(3601) }
            for client in [alice, bob] {
                var slice = try await client.history(of: conversation)
                while slice.messages.contains(where: { $0.id == id }) {
                    slice = try await client.history(of: conversation)
                }
                #expect(slice.messages.map(\.text) == ["0"])
                #expect(slice.reachedStart && slice.reachedEnd)
                #expect(try await client.search("gone").isEmpty)
            }
        }
    }

    @Test("what a device wrote and found is there again when it is opened without a gateway")
    func reopened() async throws {
        try await other.chat { [conversation] bob in
            let newest = try await bob.history(of: conversation).messages.last
            #expect(newest?.text == "0")
        }
        end()
        try await MessagingClient.open(other.configuration) { [conversation, one] bob in
            let summary = try #require(await bob.conversations.all().first)
            #expect(summary.id == conversation && summary.lastMessage?.text == "0" && summary.unreadCount == 1)
            #expect(summary.peer(of: other.user) == one.user)
            let newest = try #require(summary.lastMessage)
            try await bob.markRead(conversation, upTo: newest.id)
            #expect(await bob.conversations.all().first?.unreadCount == 0)
            #expect(try await bob.search("0").map(\.id) == [newest.id])
            #expect(try await bob.conversation(with: one.user).id == conversation)
        }
        try restart()
        // Read without a connection, and said as soon as there is one.
        try await other.chat { [conversation, one] _ in
            try await one.chat { alice in
                var status: ChatMessage.Status?
                while status != .read {
                    status = try await alice.history(of: conversation).messages.last?.status
                }
            }
        }
    }
}
