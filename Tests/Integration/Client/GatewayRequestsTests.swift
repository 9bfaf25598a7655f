import ParleyClient
import ParleyProtocol
import Testing

extension GatewayTests {
    /// Typed requests, whose replies a client reads as values.
    @Suite("Typed requests of a device")
    struct GatewayRequestsTests {
        private let one: ChatDevice
        private let other: ChatDevice

        init() throws { (one, other) = try SharedGateway.chatters() }

        private func ask(
            _ device: ChatDevice, _ body: @Sendable (GatewayRequests) async throws -> Void
        ) async throws {
            try await DeviceConnection.open(device.configuration.connection) { connection in
                try await body(GatewayRequests(connection, timeout: chatPatience))
            }
        }

        /// The code of the refusal that `body` must meet.
        private func refusal(
            sourceLocation: SourceLocation = #_sourceLocation, _ body: () async throws -> Void
        ) async -> ErrorCode? {
            let error = await #expect(throws: RequestError.self, sourceLocation: sourceLocation) { try await body() }
            guard case .refused(let rejection)? = error else { return nil }
            return rejection.code
        }

        @Test("messages are sent, read by pages and marked; a receipt for what is not there is refused")
        func messages() async throws {
            try await ask(one) { requests in
                let conversation = try await requests.ask(CreateConversation(form: .direct, participants: [other.user]))
                    .id
                var sent: [SentMessage] = []
                for _ in 0..<3 { sent.append(try await requests.send(.sample(conversation))) }
                #expect(sent.map(\.seq) == [1, 2, 3])
                let page = try await requests.ask(GetHistory(conversation: conversation, limit: 2))
                #expect(page.messages.map(\.id) == sent.suffix(2).map(\.id))
                #expect(page.summary.hasMore && page.summary.nextCursor == 2 && page.summary.lastSeq == 3)
                #expect(page.messages.allSatisfy { $0.status == .known(.sent) && $0.epoch == sent[0].epoch })
                let older = try await requests.ask(
                    GetHistory(conversation: conversation, position: .before(.seq(2))))
                #expect(older.messages.map(\.id) == [sent[0].id] && older.summary.foundOldest)
                let mark = MarkReceipt(kind: .read, conversation: conversation, message: sent[1].id)
                let watermark = try await requests.ask(mark.request)
                #expect(watermark.seq == 2 && watermark.kind == .read && watermark.message == sent[1].id)
                #expect(
                    await refusal {
                        _ = try await requests.ask(
                            MarkReceipt(kind: .read, conversation: conversation, message: .random()).request)
                    } == .notFound)
                try await requests.notify(StartTyping(conversation: conversation))
                try await requests.notify(StopTyping(conversation: conversation))
            }
        }

        @Test("a group is named, joined, led and left; a direct conversation is muted, archived and marked")
        func membership() async throws {
            let group = ConversationID.random()
            let third = try SharedGateway.current.chatter()
            try await ask(one) { alice in
                _ = try await alice.ask(
                    CreateConversation(form: .group(id: group, name: "Trio"), participants: [other.user]))
                #expect(try await alice.ask(UpdateConversation(conversation: group, renamedTo: "Duo")).name == "Duo")
                #expect(try await alice.ask(UpdateConversation(conversation: group, renamedTo: nil)).name == nil)
                let led = try await alice.ask(SetRole(conversation: group, user: other.user, role: .admin))
                #expect(led.members.first { $0.user == other.user }?.role == .known(.admin))
                #expect(try await alice.ask(AddMembers(conversation: group, users: [third.user])).members.count == 3)
                #expect(try await alice.ask(RemoveMember(conversation: group, user: third.user)).members.count == 2)
                #expect(
                    await refusal { _ = try await alice.ask(AddMembers(conversation: group, users: [third.user])) }
                        == .forbidden)
                let end = Timestamp(milliseconds: 4_000_000_000_000)
                try await alice.ask(UpdateConversation(conversation: group, muting: .until(end)))
                try await alice.ask(UpdateConversation(conversation: group, isUnread: true))
                func listed(archived: Bool = false) async throws -> Conversation.ListEntry? {
                    try await alice.ask(ListConversations(archived: archived)).conversations.first { $0.id == group }?
                        .listEntry
                }
                #expect(
                    try await listed()?.preferences
                        == ConversationPreferences(muting: .until(end), isMarkedUnread: true))
                try await alice.ask(UpdateConversation(conversation: group, muting: .off))
                try await alice.ask(UpdateConversation(conversation: group, isArchived: true))
                #expect(try await listed() == nil)
                #expect(try await listed(archived: true)?.preferences.isArchived == true)
            }
            try await ask(other) { bob in
                try await bob.ask(LeaveConversation(conversation: group))
                try await bob.ask(LeaveConversation(conversation: group))
                #expect(
                    await refusal { try await bob.ask(UpdateConversation(conversation: group, renamedTo: "Mine")) }
                        == .notFound)
            }
        }
    }
}
