import ParleyProtocol

/// Decides which operations are for operators, which for doors, and which for people (protocol §5).
package enum AuthorizeRule {
    /// A device may have been revoked, or its user disabled, while its request waited in the broker.
    ///
    /// - Parameter role: of the calling device; `nil` for one that may not sign in.
    /// - Throws: `unauthenticated`, `forbidden`
    package static func check(_ askers: Askers, role: DeviceRole?) throws(Rejection) {
        guard let role else { throw Rejection(.unauthenticated, "This device was revoked, or its user disabled.") }
        switch (askers, role) {
        case (.everyone, .device), (.everyone, .operator), (.operators, .operator), (.doors, .door),
            (.doorsAlone, .door):
            return
        case (.everyone, .door): throw Rejection(.forbidden, "A door asks for accounts and blobs alone.")
        case (.operators, .device), (.operators, .door):
            throw Rejection(.forbidden, "Only an operator may do this.")
        case (.doors, .device), (.doors, .operator), (.doorsAlone, .device), (.doorsAlone, .operator):
            throw Rejection(.forbidden, "Only a door may do this.")
        }
    }

    /// - Parameters:
    ///   - refusal: the message to operators; `nil` for operations that are open to them.
    ///   - isMember: whether the caller is no operator; called only where it matters.
    /// - Throws: `forbidden`
    package static func check(refusalOfOperators refusal: String?, isMember: () throws -> Bool) throws {
        guard let refusal, try !isMember() else { return }
        throw Rejection(.forbidden, refusal)
    }
}
