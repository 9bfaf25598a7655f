import ParleyStore

/// An error of which it is known whether trying again can help.
package protocol LastingError: Error, CustomStringConvertible {
    /// Whether it lasts until somebody removes its cause.
    var isLasting: Bool { get }
}

/// Why the gateway ended by itself, in a sentence for the operator.
package struct GatewayError: LastingError {
    package let description: String
    package let isLasting: Bool

    init(_ error: any Error) {
        description = "\(error)"
        isLasting = (error as? any LastingError)?.isLasting ?? (error is OperationTableError)
    }
}

extension StoreError: LastingError {
    package var isLasting: Bool {
        switch self {
        case .newerSchema, .unusable, .notDurable, .superseded: true
        case .full, .inputOutput, .unavailable, .conflict, .notUnique, .outcomeUnknown, .lostCommits, .eraEnded,
            .failed, .inconsistent, .unexpected:
            false
        }
    }
}

extension DataDirectoryError: LastingError {
    package var isLasting: Bool { true }
}
