import ParleyProtocol

extension MessagingClient {
    /// The groups in which the user trains with others.
    public nonisolated var trainingGroups: TrainingGroups { TrainingGroups(client: self) }

    /// The groups in which the user trains with others: ``MessagingClient/trainingGroups``. Each has a conversation of
    /// its own, ``TrainingGroup/conversation``, which is used as any other.
    ///
    /// The gateway decides about each change. What becomes of a group that was asked for here, made or joined, comes as
    /// ``ClientEvent/gateway(_:)``; after ``ClientEvent/connected`` it is asked for again, for what was missed.
    public struct TrainingGroups: Sendable {
        let client: MessagingClient

        /// Those in which the user is, in the order in which they were made.
        ///
        /// - Throws: ``ClientError/refused(_:)``, as all that follow; ``ClientError/gatewayFault(_:)`` for another
        ///   group than was asked for.
        public func all() async throws(ClientError) -> [TrainingGroup] {
            try await client.perform { context throws(ClientError) in
                let groups = try await context.gateway.ask(ListGroups()).groups
                for group in groups { try context.groupWatch.watch(group) }
                return groups
            }
        }

        /// - Throws: ``ClientError/refused(_:)`` with `not_found` for one in which the user is not.
        public func group(_ id: GroupID) async throws(ClientError) -> TrainingGroup {
            try await client.perform { context throws(ClientError) in
                try await context.groupWatch.group(id, by: GetGroup(group: id))
            }
        }

        /// Makes a group of the user alone; others come by ``MessagingClient/invites``.
        ///
        /// - Parameters:
        ///   - name: 1 to 100 characters.
        ///   - timeZone: the IANA name of the zone in which its weeks begin; `nil` for UTC.
        /// - Throws: ``ClientError/refused(_:)`` with `already_in_group` for a user who is in as many as may be.
        public func create(name: String, timeZone: String? = nil) async throws(ClientError) -> TrainingGroup {
            try await client.perform { context throws(ClientError) in
                // Chosen here, so that a repeat of the request makes no second group.
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

        /// Takes somebody out of a group. To remove oneself is to leave it.
        ///
        /// - Returns: the group as it is then.
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

        /// The user is no member any more. What is kept of its conversation stays readable. A repeat does nothing more.
        public func leave(_ group: GroupID) async throws(ClientError) {
            try await client.perform { context throws(ClientError) in
                try await context.gateway.ask(LeaveGroup(group: group))
                context.groupWatch.end(group)
            }
        }

        /// Ends a group for all its members, with its conversation. A repeat does nothing more.
        public func delete(_ group: GroupID) async throws(ClientError) {
            try await client.perform { context throws(ClientError) in
                try await context.gateway.ask(DeleteGroup(group: group))
                context.groupWatch.end(group)
            }
        }
    }
}
