import ParleyProtocol

/// A mail of the gateway.
package struct Mail: Hashable, Sendable {
    package let recipient: EmailAddress
    package let text: MailText

    package init(to recipient: EmailAddress, _ text: MailText) { (self.recipient, self.text) = (recipient, text) }
}

/// The text of a mail.
package enum MailText: Hashable, Sendable {
    /// The code that confirms the address for this account, which may be a new one.
    case verification(AccountCode, of: UserID)
    /// The code that sets a new password of this account.
    case reset(AccountCode, of: UserID)
    /// Another account was requested for the address of this one.
    case alreadyRegistered(of: UserID)
    /// The account of the address has another address now, or none.
    case replaced
    /// The account of the address signs in by a provider now, too.
    case added
}
