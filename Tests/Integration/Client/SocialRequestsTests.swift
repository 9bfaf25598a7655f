import ParleyClient
import ParleyProtocol
import Testing

extension GatewayTests {
    @Suite("Typed requests between people")
    struct SocialRequestsTests {
        private let one: ChatDevice
        private let other: ChatDevice

        init() throws {
            let gateway = try SharedGateway.current
            (one, other) = (try gateway.chatter(privacy: .followers), try gateway.chatter(privacy: .followers))
        }

        private func ask<Value: Sendable>(
            _ device: ChatDevice, _ body: @Sendable (GatewayRequests) async throws -> Value
        ) async throws -> Value {
            try await DeviceConnection.open(device.configuration.connection) { connection in
                try await body(GatewayRequests(connection, timeout: chatPatience))
            }
        }

        @Test("following, blocking, and who may write; nobody follows themselves or somebody who is not there")
        func people() async throws {
            try await ask(one) { alice in
                #expect(try await alice.ask(CanMessage(user: other.user)).isLimited)
                #expect(try await alice.ask(Follow(user: other.user)) == FollowCounts(followers: 0, following: 1))
                #expect(try await alice.ask(Follow(user: other.user)) == FollowCounts(followers: 0, following: 1))
                #expect(try await alice.ask(ListFollowing()).items.map(\.user) == [other.user])
                try await ask(other) { bob in
                    let followers = try await bob.ask(ListFollowers()).items.map(\.user)
                    #expect(followers == [one.user])
                    #expect(try await bob.ask(Follow(user: one.user)) == FollowCounts(followers: 1, following: 1))
                }
                let friend = try await alice.ask(CanMessage(user: other.user))
                #expect(friend.canMessage && !friend.isLimited)
                try await alice.ask(Block(user: other.user))
                #expect(try await alice.ask(ListBlocked()).items.map(\.user) == [other.user])
                #expect(try await alice.ask(ListFollowers()).items.isEmpty)
                #expect(try await alice.ask(CanMessage(user: other.user)).canMessage == false)
                try await alice.ask(Unblock(user: other.user))
                #expect(try await alice.ask(ListBlocked()).items.isEmpty)
                #expect(try await alice.ask(Unfollow(user: other.user)) == FollowCounts(followers: 1, following: 0))
                #expect(await refusal { try await alice.ask(Follow(user: one.user)) } == .badRequest)
                #expect(
                    await refusal { try await alice.ask(Block(user: UserID(validated: "nobody-at-all"))) } == .notFound)
            }
        }

        @Test("a request is listed and declined or accepted; one that there is not is not found")
        func requests() async throws {
            let conversation = try await ask(one) { alice in
                let conversation = try await alice.ask(CreateConversation(form: .direct, participants: [other.user])).id
                _ = try await alice.send(.sample(conversation))
                #expect(await refusal { _ = try await alice.send(.sample(conversation)) } == .requestLimit)
                return conversation
            }
            try await ask(other) { bob in
                let listed = try await bob.ask(ListRequests()).items
                #expect(listed.map(\.conversation) == [conversation] && listed.map(\.user) == [one.user])
                #expect(listed.first?.message?.seq == 1)
                #expect(
                    await refusal { _ = try await bob.ask(GetConversation(conversation: conversation)) } == .notFound)
                try await bob.ask(DeclineRequest(conversation: conversation))
                #expect(try await bob.ask(ListRequests()).items.isEmpty)
                #expect(try await bob.ask(AcceptRequest(conversation: conversation)).id == conversation)
                #expect(try await bob.ask(GetConversation(conversation: conversation)).lastSeq == 1)
                #expect(await refusal { _ = try await bob.ask(AcceptRequest(conversation: .random())) } == .notFound)
                #expect(await refusal { try await bob.ask(DeclineRequest(conversation: .random())) } == .notFound)
            }
        }

        @Test("a group is named, joined, led and left; a direct conversation is muted, archived and marked")
        func membership() async throws {
            try await befriend(one, other)
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
