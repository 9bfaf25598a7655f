import ParleyProtocol

/// Why a device's token was not renewed. It is tried again; until the token ends the device signs in with it.
public enum TokenRenewalError: Error, Sendable {
    /// The credentials that are kept could not be read.
    case unreadable(any Error)
    /// The gateway refused, or did not answer.
    case notRenewed(ClientError)
    /// The new token could not be saved. The gateway gives the same one again until somebody has signed in with it.
    case notSaved(any Error)
}

extension TokenRenewalError: CustomStringConvertible {
    /// A sentence for people.
    public var description: String {
        switch self {
        case .unreadable(let error): "\(error)"
        case .notRenewed(let error): error.description
        case .notSaved(let error): "the new token could not be saved: \(error)"
        }
    }
}
