import ParleyClient
import ParleyProtocol
import Testing

extension GatewayTests {
    @Suite("Groups by the client", .timeLimit(.minutes(20)))
    struct GroupClientTests {
        @Test("a group is made, joined by a link and talked in, and its members hear what becomes of it")
        func groupLife() async throws {
            let (one, other) = try SharedGateway.chatters()
            try await one.chat { alice in
                let group = try await alice.trainingGroups.create(name: "Runners", timeZone: "Europe/Berlin")
                #expect(group.members.map(\.user) == [one.user] && group.timeZone == "Europe/Berlin")
                let invite = try await alice.invites.create(to: group.id, uses: 3)
                let token = try #require(invite.url.flatMap { InviteLink.token(in: $0) })
                #expect(invite.token == token && invite.usesLeft == 3)
                try await other.chat { bob in
                    var (atAlice, atBob) = (ClientEvents(alice), ClientEvents(bob))
                    let preview = try await bob.invites.preview(token)
                    #expect(preview.name == "Runners" && preview.memberCount == 1 && preview.invitedBy == one.user)
                    let joined = try await bob.invites.accept(token)
                    #expect(joined.id == group.id && joined.memberCount == 2)
                    let change = try await atAlice.next("bob's coming") { event in
                        event.change(.joined)
                    }
                    #expect(change.user == other.user && change.by == one.user)
                    #expect(try await bob.trainingGroups.all() == [joined])

                    // The conversation is like any other.
                    let id = try await alice.send(.text("At six?"), to: group.conversation)
                    #expect(try await atBob.message(from: one.user).id == id)
                    _ = try await bob.send(.text("Yes"), to: joined.conversation)
                    #expect(try await atAlice.message(from: other.user).text == "Yes")

                    try await alice.trainingGroups.rename(group.id, to: "Walkers")
                    let named = try await atBob.next("the name") { event in
                        if case .gateway(let update as GroupUpdated) = event { update.group.name } else { nil }
                    }
                    #expect(named == "Walkers")
                    try await alice.trainingGroups.setRole(.admin, of: other.user, in: group.id)
                    #expect(try await bob.invites.all(to: group.id).map(\.id) == [invite.id])
                    try await bob.invites.revoke(invite.id)
                    #expect(try await alice.invites.all(to: group.id).isEmpty)

                    try await bob.trainingGroups.delete(group.id)
                    let ended = try await atAlice.next("the end") { event in
                        if case .gateway(let deletion as GroupDeleted) = event { deletion.group } else { nil }
                    }
                    #expect(ended == group.id)
                    #expect(try await alice.trainingGroups.all().isEmpty)
                    await refused(.notFound) { () async throws(ClientError) in
                        _ = try await alice.trainingGroups.group(group.id)
                    }
                }
            }
        }

        @Test("who has left hears no more, and a refusal says what it is")
        func leavingAndRefusals() async throws {
            let (one, other) = try SharedGateway.chatters()
            try await one.chat { alice in
                let group = try await alice.trainingGroups.create(name: "Runners")
                await refused(.alreadyInGroup) { () async throws(ClientError) in
                    _ = try await alice.trainingGroups.create(name: "Walkers")
                }
                let token = try #require(try await alice.invites.create(to: group.id).token)
                try await other.chat { bob in
                    var atAlice = ClientEvents(alice)
                    _ = try await bob.invites.accept(token)
                    try await bob.trainingGroups.leave(group.id)
                    _ = try await atAlice.next("bob's going") { event in
                        event.change(.left)
                    }
                    #expect(try await bob.trainingGroups.all().isEmpty)
                    #expect(await bob.conversations.all().allSatisfy { $0.id != group.conversation || !$0.isMember })
                    _ = try await bob.invites.accept(token)
                    try await alice.trainingGroups.remove(other.user, from: group.id)
                    await refused(.inviteInvalid) { () async throws(ClientError) in
                        _ = try await bob.invites.accept(token)
                    }
                    await refused(.inviteInvalid) { () async throws(ClientError) in
                        _ = try await bob.invites.preview(token)
                    }
                    let another = try #require(try await alice.invites.create(to: group.id).token)
                    _ = try await bob.invites.accept(another)
                    let left = try await bob.trainingGroups.remove(other.user, from: group.id)
                    #expect(left.members.map(\.user) == [one.user])
                    #expect(try await bob.trainingGroups.all().isEmpty)
                    #expect(await bob.conversations.all().allSatisfy { $0.id != group.conversation || !$0.isMember })
                }
            }
        }

        private func refused(
            _ code: ErrorCode, sourceLocation: SourceLocation = #_sourceLocation,
            _ body: () async throws(ClientError) -> Void
        ) async {
            do throws(ClientError) {
                try await body()
                Issue.record("it was accepted", sourceLocation: sourceLocation)
            } catch {
                guard case .refused(let rejection) = error, rejection.code == code else {
                    Issue.record("\(error)", sourceLocation: sourceLocation)
                    return
                }
            }
        }
    }
}

extension ClientEvent {
    /// The change of a group's members, if it is of this kind.
    fileprivate func change(_ kind: GroupMemberEvent.Kind) -> GroupMemberChange? {
        guard case .gateway(let event as GroupMemberEvent) = self, event.kind == kind else { return nil }
        return event.change
    }
}
