import ParleyProtocol

extension MessagingClient {
    /// How people come into groups.
    public nonisolated var invites: Invites { Invites(client: self) }

    /// How people come into groups: an invite has a token, which opens its group to whoever has it.
    /// ``MessagingClient/invites``
    public struct Invites: Sendable {
        let client: MessagingClient

        /// Makes an invite. Its ``Invite/token`` and ``Invite/url`` are known now and never again.
        ///
        /// - Parameters:
        ///   - life: how long it opens the group, in whole seconds: from one to a year.
        ///   - uses: how many may come by it, 1 to 10,000; `nil` for as many as there is room for.
        /// - Throws: ``ClientError/refused(_:)``, as all that follow.
        public func create(
            to group: GroupID, lasting life: Duration = .seconds(CreateInvite.usualLife), uses: Int? = nil
        ) async throws(ClientError) -> Invite {
            // Chosen here, so that a repeat of the request makes no second invite.
            let id = InviteID.random()
            let request = CreateInvite(
                id: id, group: group, expiresIn: Int(clamping: life.components.seconds), uses: uses)
            let invite = try await client.ask(request)
            guard invite.id == id, invite.group == group, let token = invite.token, let url = invite.url,
                InviteLink.token(in: url) == token
            else { throw .malformedReply }
            return invite
        }

        /// The invites that still open a group, the newest first: an admin gets all of them, others their own.
        public func all(to group: GroupID) async throws(ClientError) -> [Invite] {
            try await client.perform { context throws(ClientError) in
                let invites = try await context.gateway.all(most: Invites.most, by: \.id) { page in
                    ListInvites(group: group, page: page)
                }
                for invite in invites where invite.group != group {
                    throw context.gateway.report(.otherGroup(invite.group))
                }
                return invites
            }
        }

        /// More than one group can have.
        private static let most = 100_000

        /// Nobody comes by it any more.
        @discardableResult
        public func revoke(_ invite: InviteID) async throws(ClientError) -> Invite {
            let revoked = try await client.ask(RevokeInvite(id: invite))
            guard revoked.id == invite else { throw .malformedReply }
            return revoked
        }

        /// What a token opens, without going there.
        ///
        /// - Throws: ``ClientError/refused(_:)`` with `invite_invalid` for one that opens nothing for the user.
        public func preview(_ token: InviteToken) async throws(ClientError) -> InvitePreview {
            try await client.ask(PreviewInvite(token: token))
        }

        /// Makes the user a member of the group, and follows its conversation.
        ///
        /// - Throws: ``ClientError/refused(_:)`` with `invite_invalid`; `blocked`, where the user has blocked whoever
        ///   invites; `already_in_group`, of this or of as many as may be; `group_full`.
        public func accept(_ token: InviteToken) async throws(ClientError) -> TrainingGroup {
            try await client.perform { context throws(ClientError) in
                let group = try await context.gateway.ask(AcceptInvite(token: token))
                try context.groupWatch.watch(group)
                try await context.following.follow(group.conversation)
                return group
            }
        }
    }
}
