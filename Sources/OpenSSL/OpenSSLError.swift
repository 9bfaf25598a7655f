/// The failures of this target. No case carries bytes of a key or of a message.
package enum OpenSSLError: Error, Hashable {
    /// A key or nonce of an impossible length.
    case wrongLength(expected: Int, actual: Int)
    /// The key is unreadable, of another kind, curve or size, not a point of the curve, or a number outside its group.
    case malformedKey
    /// The sealed data are incomplete, or of another key, nonce or additional data.
    case notAuthentic
    /// Longer than OpenSSL takes at once, which is 2 GiB.
    case tooLong
    /// OpenSSL refused the operation, or had no memory for it.
    case refused
}
