import ParleyProtocol

/// A mail of the gateway's to somebody.
package struct Mail: Hashable, Sendable {
    package let recipient: EmailAddress
    package let text: MailText

    package init(to recipient: EmailAddress, _ text: MailText) { (self.recipient, self.text) = (recipient, text) }
}

/// What a mail says.
package enum MailText: Hashable, Sendable {
    /// The address is the reader's, by this code, and belongs to this account, which may be a new one.
    case verification(MailCode, of: UserID)
    /// A new password of an account may be set, by this code.
    case reset(MailCode, of: UserID)
    /// Somebody has tried to use the address of this account for another one.
    case alreadyRegistered(of: UserID)
    /// The address was that of an account, which has another one now.
    case replaced
    /// Their account signs in by a provider now, too.
    case added
}

/// A code that a mail carries: 4 to 12 digits. It prints as nothing.
package struct MailCode: Hashable, Sendable, CustomStringConvertible, CustomReflectable {
    package let digits: String

    /// - Returns: `nil` for anything but 4 to 12 digits.
    package init?(_ digits: String) {
        guard (4...12).contains(digits.utf8.count), digits.utf8.allSatisfy(\.isASCIIDigit) else { return nil }
        self.digits = digits
    }

    package var description: String { "MailCode" }
    package var customMirror: Mirror { Mirror(self, children: []) }
}

/// How long a code is valid, as its mail says.
package enum MailPeriods {
    package static let codeMinutes = 15
}
