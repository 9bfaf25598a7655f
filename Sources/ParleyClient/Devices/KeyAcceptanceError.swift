import ParleyProtocol

/// Why keys were not accepted. No key of the user was accepted then.
public enum KeyAcceptanceError: Error, Hashable, Sendable, CustomStringConvertible {
    /// The gateway lists other keys by now than were shown.
    case changed(UserID)
    /// The digits or the code do not match the listed keys.
    case mismatch(UserID)
    /// Too few digits to cover the other user's keys: this many groups of five are needed.
    case tooShort(groups: Int)
    /// The text is neither a safety number nor its code.
    case unreadable
    /// The code is of another conversation, or the user's own.
    case otherUsers
    /// The code is of a later version.
    case newerVersion
    /// The keys are the user's own: a device gets another account key by linking.
    case ownAccount

    public var description: String {
        switch self {
        case .changed(let user):
            "other keys of \(user) are listed than were shown; compare the safety number again. Nothing was accepted"
        case .mismatch(let user):
            "this is not the safety number with \(user) as this device sees it: somebody may stand between. Nothing was "
                + "accepted"
        case .tooShort(let groups): "give the first \(groups) groups of the number at least"
        case .unreadable: "this is neither a safety number nor the code of one"
        case .otherUsers: "this is the code of another conversation, or your own"
        case .newerVersion: "the code is of a later version: update the program that reads it"
        case .ownAccount: "another account key of your own is taken up by linking the device"
        }
    }
}
