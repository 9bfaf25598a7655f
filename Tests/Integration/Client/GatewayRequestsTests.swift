import ParleyClient
import ParleyProtocol
import TestSupport
import Testing

extension GatewayTests {
    /// Every typed request, asked of a real gateway.
    @Suite("Typed requests of a device")
    struct GatewayRequestsTests {
        private let gateway: TestGateway
        private let alice: DeviceCredentials
        private let bob: DeviceCredentials

        init() throws {
            gateway = try SharedGateway.current
            let people = try gateway.people(2)
            (alice, bob) = (people[0], people[1])
        }

        private static let patience = Duration.seconds(600)

        private func open(
            _ credentials: DeviceCredentials, _ body: @Sendable (GatewayRequests) async throws -> Void
        ) async throws {
            try await DeviceConnection.open(gateway.configuration(credentials)) { connection in
                try await body(GatewayRequests(connection, timeout: Self.patience))
            }
        }

        @Test("conversations are made, read and listed; others' are not found")
        func conversations() async throws {
            let (alice, bob) = (alice.address, bob.address)
            try await open(self.alice) { requests in
                let direct = try await requests.ask(CreateConversation(form: .direct, participants: [bob.user]))
                #expect(direct.type == .known(.direct) && Set(direct.members.map(\.user)) == [alice.user, bob.user])
                #expect(direct.lastSeq == 0 && direct.listEntry == nil)
                #expect(
                    try await requests.ask(CreateConversation(form: .direct, participants: [bob.user])).id == direct.id)
                let group = ConversationID.random()
                let made = try await requests.ask(
                    CreateConversation(form: .group(id: group, name: "Runners"), participants: [bob.user]))
                #expect(made.id == group && made.name == "Runners" && made.createdBy == alice.user)
                #expect(made.members.first { $0.user == alice.user }?.role == .known(.admin))
                #expect(try await requests.ask(GetConversation(conversation: group)) == made)
                let page = try await requests.ask(ListConversations(limit: 1, offset: 1))
                #expect(page.total == 2 && page.conversations.count == 1 && page.conversations[0].listEntry != nil)
                #expect(
                    await refusal { _ = try await requests.ask(GetConversation(conversation: .random())) } == .notFound)
                #expect(
                    await refusal {
                        _ = try await requests.ask(
                            CreateConversation(form: .direct, participants: [UserID(validated: "nobody-at-all")]))
                    } == .notFound)
            }
        }

        @Test("messages are sent, read by pages and marked; a receipt for what is not there is refused")
        func messages() async throws {
            let bob = bob.address
            try await open(alice) { requests in
                let conversation = try await requests.ask(CreateConversation(form: .direct, participants: [bob.user]))
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

        @Test("keys are published and fetched; those that protect nothing are refused")
        func keys() async throws {
            let (alice, bob) = (alice.address, bob.address)
            try await open(self.alice) { requests in
                let key = PublishKeys(identityKey: [9] + [UInt8](repeating: 0, count: 31))
                let published = try await requests.ask(key)
                #expect(published.user == alice.user && published.devices.map(\.device) == [alice.device])
                #expect(published.devices.first?.identityKey == key.identityKey)
                #expect(try await requests.ask(GetKeys(user: alice.user)).devices == published.devices)
                #expect(try await requests.ask(GetKeys(user: bob.user)).devices == [])
                #expect(
                    await refusal {
                        _ = try await requests.ask(PublishKeys(identityKey: [UInt8](repeating: 0, count: 32)))
                    } == .badRequest)
            }
        }

        @Test("one's devices are listed, renewed and revoked")
        func devices() async throws {
            let alice = alice.address
            _ = try gateway.device("tablet", of: alice.user.text)
            try await open(self.alice) { requests in
                let tablet = DeviceID(validated: "tablet")
                let devices = try await requests.ask(ListDevices()).devices
                #expect(Set(devices.map(\.summary.device)) == [alice.device, tablet])
                #expect(devices.filter(\.isCurrent).map(\.summary.device) == [alice.device])
                #expect(
                    try await requests.ask(RevokeDevice(device: tablet)).devices.map(\.summary.device) == [alice.device]
                )
                let renewed = try await requests.ask(RenewDevice())
                #expect(renewed.username == alice.user.text && renewed.password != self.alice.password)
            }
        }

        @Test("of one's own profile everything is seen and changed, of another's what it shows")
        func profiles() async throws {
            let (alice, bob) = (alice.address, bob.address)
            try await open(self.alice) { requests in
                let hours = QuietHours(from: "22:00", to: "07:00")
                let changed = try await requests.ask(
                    ProfileChange(displayName: "Alice", sendsTyping: false, quietHours: .set(hours)))
                #expect(changed.displayName == "Alice" && changed.settings?.quietHours == hours)
                #expect(changed.settings?.sendsTyping == false && changed.settings?.sendsReadReceipts == true)
                #expect(try await requests.ask(GetProfile()) == changed)
                #expect(try await requests.ask(GetProfile(user: alice.user)) == changed)
                let other = try await requests.ask(GetProfile(user: bob.user))
                #expect(other.user == bob.user && other.settings == nil)
            }
        }
    }
}
