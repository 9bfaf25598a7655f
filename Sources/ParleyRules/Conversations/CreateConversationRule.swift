import ParleyProtocol

/// Decides `conversations/create` (protocol §5).
package enum CreateConversationRule {
    /// What is to be made, if it is not there yet.
    package struct Plan: Hashable, Sendable {
        package let type: ConversationType
        package let name: String?
        /// A group's id, if its maker chose one. A direct conversation's follows from its members.
        package let id: ConversationID?
        /// The creator first.
        package let members: [UserID]

        package func role(of user: UserID) -> MemberRole {
            switch type {
            case .direct: .member
            case .group: user == members.first ? .admin : .member
            }
        }

        /// What makes two requests for a group the same.
        package var identityPreimage: [UInt8] {
            var parts = [name ?? ""]
            parts += (members.first.map { [$0.text] } ?? []) + members.dropFirst().map(\.text).sorted()
            var writer = ByteWriter()
            writer.byte(name == nil ? 0 : 1)
            for part in parts { writer.field(part.utf8) }
            return writer.bytes
        }
    }

    /// - Parameter maximumMembers: the cap of a group, its creator counted.
    /// - Throws: `bad_request`, or `group_full`, which is said before anything else of the participants is looked at.
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
