import ParleyProtocol

/// A mail of the gateway's to somebody.
package struct Mail: Hashable, Sendable {
    package let recipient: EmailAddress
    package let text: MailText

    package init(to recipient: EmailAddress, _ text: MailText) { (self.recipient, self.text) = (recipient, text) }
}

/// The text of a mail.
package enum MailText: Hashable, Sendable {
    /// The address is the reader's, by this code, and belongs to this account, which may be a new one.
    case verification(AccountCode, of: UserID)
    /// A new password of an account may be set, by this code.
    case reset(AccountCode, of: UserID)
    /// Somebody has tried to use the address of this account for another one.
    case alreadyRegistered(of: UserID)
    /// The address was that of an account, which has another one now.
    case replaced
    /// Their account signs in by a provider now, too.
    case added
}
