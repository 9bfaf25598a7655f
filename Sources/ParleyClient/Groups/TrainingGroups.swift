import ParleyProtocol

extension MessagingClient {
    /// The groups in which the user trains with others.
    public nonisolated var trainingGroups: TrainingGroups { TrainingGroups(client: self) }

    /// The groups in which the user trains with others: ``MessagingClient/trainingGroups``. Each has an ordinary
    /// conversation, `TrainingGroup.conversation`.
    ///
    /// The gateway decides about each change. Changes of a group that was requested here, created or joined come as
    /// ``ClientEvent/gateway(_:)``; request it again after ``ClientEvent/connected``, for missed ones.
    public struct TrainingGroups: Sendable {
        let client: MessagingClient

        /// The user's groups, in order of their creation.
        ///
        /// - Throws: ``ClientError/refused(_:)``, as the methods below; ``ClientError/gatewayFault(_:)`` if the answer
        ///   is about another group.
        public func all() async throws(ClientError) -> [TrainingGroup] {
            try await client.perform { context throws(ClientError) in
                let groups = try await context.gateway.ask(ListGroups()).groups
                for group in groups { try context.groupWatch.watch(group) }
                return groups
            }
        }

        /// - Throws: ``ClientError/refused(_:)`` with `not_found` if the user is no member.
        public func group(_ id: GroupID) async throws(ClientError) -> TrainingGroup {
            try await client.perform { context throws(ClientError) in
                try await context.groupWatch.group(id, by: GetGroup(group: id))
            }
        }

        /// Creates a group of the user alone; others join by ``MessagingClient/invites``.
        ///
        /// - Parameters:
        ///   - name: 1 to 100 characters.
        ///   - timeZone: the IANA name of the time zone of its weeks; `nil` for UTC.
        /// - Throws: ``ClientError/refused(_:)`` with `already_in_group` if the user has the most groups allowed.
        public func create(name: String, timeZone: String? = nil) async throws(ClientError) -> TrainingGroup {
            try await client.perform { context throws(ClientError) in
                // Chosen here, so that a repeated request makes no second group.
                let id = GroupID.random()
                let request = CreateGroup(id: id, name: name, timeZone: timeZone)
                let group = try await context.groupWatch.group(id, by: request)
                try context.following.refuseUninvited(
                    group.members.map(\.user), in: group.conversation, but: [context.device.user])
                try await context.following.follow(group.conversation)
                return group
            }
        }

        @discardableResult
        public func rename(_ group: GroupID, to name: String) async throws(ClientError) -> TrainingGroup {
            try await client.perform { context throws(ClientError) in
                try await context.groupWatch.group(group, by: UpdateGroup(group: group, name: name))
            }
        }

        /// Removes a member from a group. The user themselves leave it.
        ///
        /// - Returns: the group afterwards.
        @discardableResult
        public func remove(_ user: UserID, from group: GroupID) async throws(ClientError) -> TrainingGroup {
            try await client.perform { context throws(ClientError) in
                let request = RemoveGroupMember(group: group, user: user)
                guard user == context.device.user else { return try await context.groupWatch.group(group, by: request) }
                return try await context.groupWatch.leave(group, by: request)
            }
        }

        @discardableResult
        public func setRole(
            _ role: MemberRole, of user: UserID, in group: GroupID
        ) async throws(ClientError) -> TrainingGroup {
            try await client.perform { context throws(ClientError) in
                try await context.groupWatch.group(group, by: SetGroupRole(group: group, user: user, role: role))
            }
        }

        /// Ends the user's membership. Stored messages stay readable. A repeat does nothing.
        public func leave(_ group: GroupID) async throws(ClientError) {
            try await client.perform { context throws(ClientError) in
                try await context.gateway.ask(LeaveGroup(group: group))
                context.groupWatch.end(group)
            }
        }

        /// Deletes a group and its conversation for all members. A repeat does nothing.
        public func delete(_ group: GroupID) async throws(ClientError) {
            try await client.perform { context throws(ClientError) in
                try await context.gateway.ask(DeleteGroup(group: group))
                context.groupWatch.end(group)
            }
        }
    }
}
