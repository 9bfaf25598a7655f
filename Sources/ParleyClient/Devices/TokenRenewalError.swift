import ParleyProtocol

/// Why the renewal of a device's token failed. It is retried; until the token expires the device signs in with it.
public enum TokenRenewalError: Error, Sendable, CustomStringConvertible {
    /// The stored credentials could not be read.
    case unreadable(any Error)
    case notRenewed(ClientError)
    /// The new token could not be saved. The gateway gives the same one again until the device has signed in with it.
    case notSaved(any Error)

    /// A sentence for people.
    public var description: String {
        switch self {
        case .unreadable(let error): "\(error)"
        case .notRenewed(let error): error.description
        case .notSaved(let error): "the new token could not be saved: \(error)"
        }
    }
}
