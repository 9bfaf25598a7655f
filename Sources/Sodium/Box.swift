import CSodium

/// NaCl's `crypto_box`: X25519 and XSalsa20-Poly1305, from one key pair to another.
package enum Box {
    package static let nonceLength = 24
    package static let tagLength = 16
    /// An ephemeral public key and a tag, in bytes.
    package static let anonymousOverhead = 48

    /// The shared secret of two key pairs, computed once (`crypto_box_beforenm`): the same for both sides and
    /// directions.
    package final class SharedKey: Sendable {
        private let key: WipedBytes

        /// - Throws: `SodiumError.lowOrderKey` for a shared secret of zero.
        package init(between secret: X25519.SecretKey, and other: X25519.PublicKey) throws(SodiumError) {
            key = try unsafe WipedBytes(count: SecretBox.keyLength) { target throws(SodiumError) in
                try Library.call(orThrow: .lowOrderKey) {
                    secret.bytes.withBytes { secret in
                        unsafe secret.withCBytes { secret, _ in
                            unsafe other.bytes.span.withCBytes { other, _ in
                                unsafe crypto_box_beforenm(target, other, secret)
                            }
                        }
                    }
                }
            }
        }

        /// The 16-byte tag and the ciphertext (`crypto_box_easy_afternm`).
        ///
        /// - Throws: `SodiumError.wrongLength` unless the nonce has 24 bytes. Never use it twice for this key.
        package func seal(_ message: Span<UInt8>, nonce: Span<UInt8>) throws(SodiumError) -> [UInt8] {
            try nonce.requireCount(nonceLength)
            return try unsafe Library.bytes(count: message.count + tagLength, orThrow: .refused) { output in
                unsafe message.withCBytes { message, count in
                    unsafe nonce.withCBytes { nonce, _ in
                        key.withBytes { key in
                            unsafe key.withCBytes { key, _ in
                                unsafe crypto_box_easy_afternm(output, message, UInt64(count), nonce, key)
                            }
                        }
                    }
                }
            }
        }

        /// The message in `box` (`crypto_box_open_easy_afternm`).
        ///
        /// - Throws: `SodiumError.wrongLength` unless the nonce has 24 bytes, `.notAuthentic`.
        package func open(_ box: Span<UInt8>, nonce: Span<UInt8>) throws(SodiumError) -> [UInt8] {
            try nonce.requireCount(nonceLength)
            guard box.count >= tagLength else { throw .notAuthentic }
            return try unsafe Library.bytes(count: box.count - tagLength, orThrow: .notAuthentic) { output in
                unsafe box.withCBytes { box, count in
                    unsafe nonce.withCBytes { nonce, _ in
                        key.withBytes { key in
                            unsafe key.withCBytes { key, _ in
                                unsafe crypto_box_open_easy_afternm(output, box, UInt64(count), nonce, key)
                            }
                        }
                    }
                }
            }
        }
    }

    /// An anonymous box for `recipient`, sealed with a key pair that is discarded at once (`crypto_box_seal`).
    package static func sealAnonymously(
        _ message: Span<UInt8>, to recipient: X25519.PublicKey
    ) throws(SodiumError) -> [UInt8] {
        try unsafe Library.bytes(count: message.count + anonymousOverhead, orThrow: .lowOrderKey) { output in
            unsafe message.withCBytes { message, count in
                unsafe recipient.bytes.span.withCBytes { recipient, _ in
                    unsafe crypto_box_seal(output, message, UInt64(count), recipient)
                }
            }
        }
    }

    /// The message in an anonymous box (`crypto_box_seal_open`).
    ///
    /// - Throws: `SodiumError.notAuthentic`, also if the ephemeral key in the box is of low order.
    package static func openAnonymously(
        _ box: Span<UInt8>, with secret: X25519.SecretKey
    ) throws(SodiumError) -> [UInt8] {
        guard box.count >= anonymousOverhead else { throw .notAuthentic }
        return try unsafe Library.bytes(count: box.count - anonymousOverhead, orThrow: .notAuthentic) { output in
            unsafe box.withCBytes { box, count in
                secret.bytes.withBytes { key in
                    unsafe key.withCBytes { key, _ in
                        unsafe secret.publicKey.bytes.span.withCBytes { publicKey, _ in
                            unsafe crypto_box_seal_open(output, box, UInt64(count), publicKey, key)
                        }
                    }
                }
            }
        }
    }
}
