/// What can fail inside this target. None of the cases carries bytes of a key or of a message.
package enum SodiumError: Error, Hashable {
    /// libsodium could not be initialised: no source of randomness.
    case unavailable
    /// A key, seed, nonce, signature or digest was asked for, or given, with a length that it cannot have.
    case wrongLength(expected: Int, actual: Int)
    /// A public key of low order, with which every shared secret would be zero (RFC 7748 §6.1).
    case lowOrderKey
    /// What was to be opened was not sealed with this key, nonce and additional data, or is not whole.
    case notAuthentic
    /// A password hash was asked for that costs more time or memory than this target spends, or less than it accepts.
    case costOutOfBounds
    /// No guarded memory could be had (`sodium_malloc`), or not as much as a password hash takes.
    case outOfMemory
    /// libsodium refused the operation.
    case refused
}
