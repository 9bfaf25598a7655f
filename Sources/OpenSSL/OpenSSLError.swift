/// What can fail inside this target. None of the cases carries bytes of a key or of a message.
package enum OpenSSLError: Error, Hashable {
    /// A key or nonce was given with a length that it cannot have.
    case wrongLength(expected: Int, actual: Int)
    /// What was given is no key of the kind that is asked for: not readable, of another curve or size, no point of the
    /// curve, or a number outside of its group.
    case malformedKey
    /// What was to be opened was not sealed with this key, nonce and additional data, or is not whole.
    case notAuthentic
    /// Longer than OpenSSL takes at once, which is 2 GiB.
    case tooLong
    /// OpenSSL refused the operation, or had no memory for it.
    case refused
}
