import ParleyProtocol

/// Decides `admin/add-user` (protocol §5).
package enum AddUserRule {
    package enum Decision: Hashable, Sendable {
        /// Changes nothing.
        case repeated(UserSummary)
        case insert(displayName: String)
    }

    /// - Parameters:
    ///   - existing: the user of this id.
    ///   - privacy: of that user; `nil` for an operator.
    /// - Throws: `conflict` for the id of an operator, and for another name or privacy than the user's.
    package static func decide(
        _ request: AddUser, existing: UserSummary?, privacy: MessagePrivacy?
    ) throws(Rejection) -> Decision {
        guard let existing else { return .insert(displayName: request.displayName ?? request.user.text) }
        guard let privacy, existing.displayName == request.displayName ?? existing.displayName else {
            throw Rejection(.conflict, "There is a user of this id already.")
        }
        guard privacy == request.messagePrivacy ?? privacy else {
            throw Rejection(
                .conflict, "There is a user of this id already, with another message privacy.")
        }
        return .repeated(existing)
    }
}
