/// The failures of this target. No case carries bytes of a key or of a message.
package enum SodiumError: Error, Hashable {
    /// libsodium could not be initialised: no source of randomness.
    case unavailable
    /// A key, seed, nonce, signature or digest of an impossible length.
    case wrongLength(expected: Int, actual: Int)
    /// A public key of low order, with which every shared secret would be zero (RFC 7748 §6.1).
    case lowOrderKey
    /// The sealed data are incomplete, or of another key, nonce or additional data.
    case notAuthentic
    /// The cost of a password hash is outside the bounds of this target.
    case costOutOfBounds
    /// There was no guarded memory (`sodium_malloc`), or not enough for a password hash.
    case outOfMemory
    /// libsodium refused the operation.
    case refused
}
