import ParleyProtocol

/// Decides `conversations/create` (protocol §5).
package enum CreateConversationRule {
    /// The conversation to create, unless it exists.
    package struct Plan: Hashable, Sendable {
        package let type: ConversationType
        package let name: String?
        /// The chosen id of a group. The id of a direct conversation follows from its members.
        package let id: ConversationID?
        /// The creator first.
        package let members: [UserID]

        package func role(of user: UserID) -> MemberRole {
            switch type {
            case .direct: .member
            case .group: user == members.first ? .admin : .member
            }
        }

        /// Equal for repeated requests for a group.
        package var identityPreimage: [UInt8] {
            var parts = [name ?? ""]
            parts += (members.first.map { [$0.text] } ?? []) + members.dropFirst().map(\.text).sorted()
            var writer = ByteWriter()
            writer.byte(name == nil ? 0 : 1)
            for part in parts { writer.field(part.utf8) }
            return writer.bytes
        }
    }

    /// - Parameter maximumMembers: of a group, with its creator.
    /// - Throws: `bad_request`; `group_full` before any check of the participants.
    package static func plan(
        _ request: CreateConversation, by creator: UserID, maximumMembers: Int
    ) throws(Rejection) -> Plan {
        let others = request.participants.filter { $0 != creator }
        switch request.form {
        case .direct:
            guard others.count == 1 else {
                throw Rejection(.badRequest, "participant_ids: a direct conversation has exactly one other participant")
            }
            return Plan(type: .direct, name: nil, id: nil, members: [creator] + others)
        case .group(let id, let name):
            try GroupPolicy.checkSize(others.count + 1, most: maximumMembers)
            guard !others.isEmpty else {
                throw Rejection(.badRequest, "participant_ids: a group has at least one other participant")
            }
            if let id { try GroupPolicy.checkID(id.value) }
            return Plan(type: .group, name: name, id: id, members: [creator] + others)
        }
    }
}
