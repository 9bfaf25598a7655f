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

        /// The code of the refusal that `body` must meet.
        private func refusal(
            sourceLocation: SourceLocation = #_sourceLocation, _ body: () async throws -> Void
        ) async -> ErrorCode? {
            let error = await #expect(throws: RequestError.self, sourceLocation: sourceLocation) { try await body() }
            guard case .refused(let rejection)? = error else { return nil }
            return rejection.code
        }

        @Test("following, blocking, and who may write; nobody follows himself or somebody who is not there")
        func people() async throws {
            try await ask(one) { alice in
                #expect(try await alice.canMessage(other.user).isLimited)
                #expect(try await alice.follow(other.user) == FollowCounts(followers: 0, following: 1))
                #expect(try await alice.follow(other.user) == FollowCounts(followers: 0, following: 1))
                #expect(try await alice.following().items.map(\.user) == [other.user])
                try await ask(other) { bob in
                    let followers = try await bob.followers().items.map(\.user)
                    #expect(followers == [one.user])
                    #expect(try await bob.follow(one.user) == FollowCounts(followers: 1, following: 1))
                }
                let friend = try await alice.canMessage(other.user)
                #expect(friend.canMessage && !friend.isLimited)
                try await alice.block(other.user)
                #expect(try await alice.blocked().items.map(\.user) == [other.user])
                #expect(try await alice.followers().items.isEmpty)
                #expect(try await alice.canMessage(other.user).canMessage == false)
                try await alice.unblock(other.user)
                #expect(try await alice.blocked().items.isEmpty)
                #expect(try await alice.unfollow(other.user) == FollowCounts(followers: 1, following: 0))
                #expect(await refusal { try await alice.follow(one.user) } == .badRequest)
                #expect(await refusal { try await alice.block(UserID(validated: "nobody-at-all")) } == .notFound)
            }
        }

        @Test("a request is listed and declined or accepted; one that there is not is not found")
        func requests() async throws {
            let conversation = try await ask(one) { alice in
                let conversation = try await alice.createDirectConversation(with: other.user).id
                _ = try await alice.send(.sample(conversation))
                #expect(await refusal { _ = try await alice.send(.sample(conversation)) } == .requestLimit)
                return conversation
            }
            try await ask(other) { bob in
                let listed = try await bob.messageRequests().items
                #expect(listed.map(\.conversation) == [conversation] && listed.map(\.user) == [one.user])
                #expect(listed.first?.message?.seq == 1)
                #expect(await refusal { _ = try await bob.conversation(conversation) } == .notFound)
                try await bob.declineRequest(conversation)
                #expect(try await bob.messageRequests().items.isEmpty)
                #expect(try await bob.acceptRequest(conversation).id == conversation)
                #expect(try await bob.conversation(conversation).lastSeq == 1)
                #expect(await refusal { _ = try await bob.acceptRequest(.random()) } == .notFound)
                #expect(await refusal { try await bob.declineRequest(.random()) } == .notFound)
            }
        }

        @Test("a group is named, joined, led and left; a direct conversation is muted, archived and marked")
        func membership() async throws {
            try await befriend(one, other)
            let group = ConversationID.random()
            let third = try SharedGateway.current.chatter()
            try await ask(one) { alice in
                _ = try await alice.createGroup(id: group, name: "Trio", participants: [other.user])
                #expect(try await alice.rename(group, to: "Duo").name == "Duo")
                #expect(try await alice.rename(group, to: nil).name == nil)
                let led = try await alice.setRole(.admin, of: other.user, in: group)
                #expect(led.members.first { $0.user == other.user }?.role == .known(.admin))
                #expect(try await alice.add([third.user], to: group).members.count == 3)
                #expect(try await alice.remove(third.user, from: group).members.count == 2)
                #expect(await refusal { _ = try await alice.add([third.user], to: group) } == .forbidden)
                let end = Timestamp(milliseconds: 4_000_000_000_000)
                try await alice.mute(group, .until(end))
                try await alice.markUnread(group)
                func listed(archived: Bool = false) async throws -> ReceivedConversation.Standing? {
                    try await alice.conversations(archived: archived).conversations.first { $0.id == group }?.standing
                }
                #expect(
                    try await listed()?.preferences
                        == ConversationPreferences(muting: .until(end), isMarkedUnread: true))
                try await alice.mute(group, .off)
                try await alice.archive(group)
                #expect(try await listed() == nil)
                #expect(try await listed(archived: true)?.preferences.isArchived == true)
            }
            try await ask(other) { bob in
                try await bob.leave(group)
                try await bob.leave(group)
                #expect(await refusal { try await bob.rename(group, to: "Mine") } == .notFound)
            }
        }
    }
}
