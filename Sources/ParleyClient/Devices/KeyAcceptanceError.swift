import ParleyProtocol

/// Why keys were not accepted. Nothing is, then.
public enum KeyAcceptanceError: Error, Hashable, Sendable, CustomStringConvertible {
    /// The gateway lists other keys of the user by now than were shown.
    case changed(UserID)
    /// The digits, or the code, are not of the keys that are listed.
    case mismatch(UserID)
    /// So few digits do not show the other user's keys: so many groups of five are needed at least.
    case tooShort(groups: Int)
    /// It is neither digits of a safety number nor the code of one.
    case unreadable
    /// It is the code of another conversation, or one's own.
    case otherUsers
    /// The code is of a later version.
    case newerVersion
    /// The account key is one's own: a device gets another one by being linked.
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
