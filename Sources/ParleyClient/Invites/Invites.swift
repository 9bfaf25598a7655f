import ParleyProtocol

extension MessagingClient {
    /// Invites into training groups.
    public nonisolated var invites: Invites { Invites(client: self) }

    /// Invites into training groups: whoever has an invite's token can join. ``MessagingClient/invites``
    public struct Invites: Sendable {
        let client: MessagingClient

        /// Creates an invite. Only this reply has its `Invite.token` and `Invite.url`.
        ///
        /// - Parameters:
        ///   - life: its lifetime in whole seconds: from one to a year.
        ///   - uses: how many can join by it, 1 to 10,000; `nil` for no limit.
        /// - Throws: ``ClientError/refused(_:)``, as the methods below.
        public func create(
            to group: GroupID, lasting life: Duration = .seconds(CreateInvite.usualLife), uses: Int? = nil
        ) async throws(ClientError) -> Invite {
            // Chosen here, so that a repeated request makes no second invite.
            let id = InviteID.random()
            let request = CreateInvite(
                id: id, group: group, expiresIn: Int(clamping: life.components.seconds), uses: uses)
            let invite = try await client.ask(request)
            guard invite.id == id, invite.group == group, let token = invite.token, let url = invite.url,
                InviteLink.token(in: url) == token
            else { throw .malformedReply }
            return invite
        }

        /// The valid invites of a group, newest first: all of them for an admin, the user's own for others.
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

        /// More invites than a group can have.
        private static let most = 100_000

        @discardableResult
        public func revoke(_ invite: InviteID) async throws(ClientError) -> Invite {
            let revoked = try await client.ask(RevokeInvite(id: invite))
            guard revoked.id == invite else { throw .malformedReply }
            return revoked
        }

        /// The group that a token opens, without joining it.
        ///
        /// - Throws: ``ClientError/refused(_:)`` with `invite_invalid` for an invalid token.
        public func preview(_ token: InviteToken) async throws(ClientError) -> InvitePreview {
            try await client.ask(PreviewInvite(token: token))
        }

        /// Joins the group, and follows its conversation.
        ///
        /// - Throws: ``ClientError/refused(_:)`` with `invite_invalid`; `blocked`, if the user has blocked the inviter;
        ///   `already_in_group`, this one or the most allowed; `group_full`.
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
