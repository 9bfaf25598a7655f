import ParleyProtocol

/// Decides who may ask for what (protocol §5): operators have operations of their own, and none that are for people.
package enum AuthorizeRule {
    /// What the broker let through may have waited since, and the device may have been revoked meanwhile.
    ///
    /// - Parameter isOperator: whether the device is an operator's; `nil` for one that is revoked.
    /// - Throws: `unauthenticated`, `forbidden`
    package static func check(isForOperators: Bool, isOperator: Bool?) throws(Rejection) {
        guard let isOperator else { throw Rejection(.unauthenticated, "This device was revoked.") }
        guard isOperator || !isForOperators else { throw Rejection(.forbidden, "Only an operator may do this.") }
    }

    /// - Parameters:
    ///   - refusal: what operators are told; `nil` where they may ask.
    ///   - isMember: whether the caller is a person; asked only where it matters.
    /// - Throws: `forbidden`
    package static func check(refusalOfOperators refusal: String?, isMember: () throws -> Bool) throws {
        guard let refusal, try !isMember() else { return }
        throw Rejection(.forbidden, refusal)
    }
}
