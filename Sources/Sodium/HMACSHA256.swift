import CSodium

/// HMAC-SHA256 (RFC 2104), with keys of any length, of a message in parts.
package struct HMACSHA256: ~Copyable {
    package static let tagLength = 32

    private let state: WipedBytes

    /// Begins a message (`crypto_auth_hmacsha256_init`).
    package init(key: Span<UInt8>) throws(SodiumError) {
        let size = crypto_auth_hmacsha256_statebytes()
        state = try unsafe WipedBytes(count: size) { target throws(SodiumError) in
            try Library.call(orThrow: .refused) {
                unsafe key.withCBytes { key, count in
                    unsafe crypto_auth_hmacsha256_init(
                        UnsafeMutableRawPointer(target).assumingMemoryBound(to: crypto_auth_hmacsha256_state.self), key,
                        count)
                }
            }
        }
    }

    /// Appends a part of the message (`crypto_auth_hmacsha256_update`).
    package mutating func update(_ part: Span<UInt8>) throws(SodiumError) {
        try Library.call(orThrow: .refused) {
            unsafe part.withCBytes { part, count in
                unsafe state.withState(as: crypto_auth_hmacsha256_state.self) { state in
                    unsafe crypto_auth_hmacsha256_update(state, part, UInt64(count))
                }
            }
        }
    }

    /// The 32-byte tag of the whole message (`crypto_auth_hmacsha256_final`), wiped because HKDF's keys are such tags.
    package consuming func finish() throws(SodiumError) -> WipedBytes {
        let state = state
        return try unsafe WipedBytes(count: Self.tagLength) { target throws(SodiumError) in
            try Library.call(orThrow: .refused) {
                unsafe state.withState(as: crypto_auth_hmacsha256_state.self) { state in
                    unsafe crypto_auth_hmacsha256_final(state, target)
                }
            }
        }
    }

    /// The 32-byte tag of `message`.
    package static func authenticate(_ message: Span<UInt8>, key: Span<UInt8>) throws(SodiumError) -> WipedBytes {
        var authenticator = try HMACSHA256(key: key)
        try authenticator.update(message)
        return try authenticator.finish()
    }
}
