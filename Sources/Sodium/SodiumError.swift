/// What can fail inside this target. None of the cases carries bytes of a key or of a message.
package enum SodiumError: Error, Hashable {
    /// libsodium could not be initialised: no source of randomness.
    case unavailable
    /// A key, seed, signature or digest was asked for, or given, with a length that it cannot have.
    case wrongLength(expected: Int, actual: Int)
    /// No guarded memory could be had (`sodium_malloc`).
    case outOfMemory
    /// libsodium refused the operation.
    case refused
}
