import ParleyProtocol

/// How much of a reader's receipts is disclosed to the other members.
package enum ReceiptDisclosure: Hashable, Sendable, CaseIterable {
    case nothing
    case deliveredOnly
    case everything

    /// The other of a direct conversation.
    package struct Other: Hashable, Sendable {
        /// Of the reader toward them.
        package let permission: MessagingPermission
        package let sendsReadReceipts: Bool

        package init(permission: MessagingPermission, sendsReadReceipts: Bool) {
            (self.permission, self.sendsReadReceipts) = (permission, sendsReadReceipts)
        }
    }

    /// - Parameters:
    ///   - sendsReadReceipts: the reader's setting.
    ///   - other: in a direct conversation. There a user who sends no read receipts gets none, and a reader who may not
    ///     write without limit discloses nothing.
    package static func decide(sendsReadReceipts: Bool, other: Other?) -> ReceiptDisclosure {
        guard let other else { return sendsReadReceipts ? .everything : .deliveredOnly }
        guard other.permission.permits(.receipt) else { return .nothing }
        return sendsReadReceipts && other.sendsReadReceipts ? .everything : .deliveredOnly
    }
}
