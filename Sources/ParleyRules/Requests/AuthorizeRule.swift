import ParleyProtocol

/// Decides which operations are for operators, and which for people (protocol §5).
package enum AuthorizeRule {
    /// A device may have been revoked while its request waited in the broker.
    ///
    /// - Parameter isOperator: whether the device is an operator's; `nil` for a revoked one.
    /// - Throws: `unauthenticated`, `forbidden`
    package static func check(isForOperators: Bool, isOperator: Bool?) throws(Rejection) {
        guard let isOperator else { throw Rejection(.unauthenticated, "This device was revoked.") }
        guard isOperator || !isForOperators else { throw Rejection(.forbidden, "Only an operator may do this.") }
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
