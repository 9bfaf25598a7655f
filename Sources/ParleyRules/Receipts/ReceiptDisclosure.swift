import ParleyProtocol

/// How much of a reader's receipts is disclosed to the others of a conversation.
package enum ReceiptDisclosure: Hashable, Sendable, CaseIterable {
    case nothing
    /// That messages have come, not that they were read.
    case deliveredOnly
    case everything

    /// The other of a direct conversation.
    package struct Other: Hashable, Sendable {
        /// What the reader may do toward them.
        package let permission: MessagingPermission
        package let sendsReadReceipts: Bool

        package init(permission: MessagingPermission, sendsReadReceipts: Bool) {
            (self.permission, self.sendsReadReceipts) = (permission, sendsReadReceipts)
        }
    }

    /// - Parameters:
    ///   - sendsReadReceipts: the reader's setting.
    ///   - other: in a direct conversation. There, whoever sends no read receipts gets none, and the receipts of
    ///     somebody who may not write without limit are disclosed to nobody.
    package static func decide(sendsReadReceipts: Bool, other: Other?) -> ReceiptDisclosure {
        guard let other else { return sendsReadReceipts ? .everything : .deliveredOnly }
        guard other.permission.permits(.receipt) else { return .nothing }
        return sendsReadReceipts && other.sendsReadReceipts ? .everything : .deliveredOnly
    }
}
