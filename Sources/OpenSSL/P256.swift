import COpenSSL

/// The curve P-256 (FIPS 186-5, SEC 2): Diffie-Hellman over it, and ECDSA with SHA-256.
package enum P256 {
    /// The public half: a point of the curve.
    package struct PublicKey: Sendable {
        package static let length = 65

        /// Uncompressed, as X9.63 writes it: 4, x, y.
        package let bytes: [UInt8]
        fileprivate let handle: KeyHandle

        /// - Throws: `OpenSSLError.wrongLength` unless there are 65 bytes; `.malformedKey` unless they are a point of
        ///   the curve that is not compressed.
        package init(_ bytes: [UInt8]) throws(OpenSSLError) {
            try bytes.span.requireCount(PublicKey.length)
            guard bytes[0] == 4 else { throw .malformedKey }
            handle = try unsafe KeyHandle(orThrow: .malformedKey) {
                unsafe bytes.span.withCBytes { bytes, _ in unsafe parley_p256_key(bytes, nil) }
            }
            self.bytes = bytes
        }

        /// Whether `signature`, r ‖ s, is that of `message` by the private half.
        package func verifies(_ signature: Span<UInt8>, of message: Span<UInt8>) -> Bool {
            guard signature.count == ECDSASignature.length, let der = try? ECDSASignature.der(raw: signature) else {
                return false
            }
            return handle.verifies(der.span, of: message)
        }
    }

    /// The private half, with its public one.
    package struct PrivateKey: Sendable {
        package static let length = Scalar.length

        package let publicKey: PublicKey
        private let handle: KeyHandle

        /// - Parameter bytes: 32, a big-endian number.
        /// - Throws: `OpenSSLError.wrongLength`; `.malformedKey` for zero, and for what is not less than the order of
        ///   the group.
        package init(_ bytes: Span<UInt8>) throws(OpenSSLError) {
            try self.init(Scalar.reading(bytes))
        }

        /// - Parameter pem: in PKCS #8 or SEC 1, not encrypted. What it says of the public half is not looked at.
        /// - Throws: `OpenSSLError.malformedKey`.
        package init(pem: Span<UInt8>) throws(OpenSSLError) {
            let read = try KeyHandle.reading(pem: pem)
            guard read.isA("EC"), unsafe read.withPointer(Self.isOfThisCurve) else { throw .malformedKey }
            try self.init(Scalar.reading(read))
        }

        /// A new random key (`EVP_PKEY_generate`).
        package static func generate() throws(OpenSSLError) -> PrivateKey {
            let made = try unsafe KeyHandle(orThrow: .refused) {
                guard let context = unsafe EVP_PKEY_CTX_new_from_name(nil, "EC", nil) else { return nil }
                defer { unsafe EVP_PKEY_CTX_free(context) }
                var key: OpaquePointer?
                guard unsafe EVP_PKEY_keygen_init(context) == 1,
                    unsafe EVP_PKEY_CTX_set_ec_paramgen_curve_nid(context, NID_X9_62_prime256v1) == 1,
                    unsafe EVP_PKEY_generate(context, &key) == 1
                else { return nil }
                return unsafe key
            }
            return try PrivateKey(Scalar.reading(made))
        }

        private init(_ scalar: consuming Scalar) throws(OpenSSLError) {
            let point = try scalar.point()
            handle = try scalar.key(point: point)
            publicKey = try PublicKey(point)
        }

        /// The 32 bytes to keep.
        package func bytes() throws(OpenSSLError) -> [UInt8] { try Scalar.reading(handle).bytes() }

        /// The secret that only the holders of the two keys can compute (`EVP_PKEY_derive`): 32 bytes, the x of a point
        /// of the curve and no key. Derive keys from it, and wipe it.
        package func sharedSecret(with other: PublicKey) throws(OpenSSLError) -> [UInt8] {
            try unsafe Library.bytes(count: Scalar.length, orThrow: .refused) { output in
                unsafe handle.withPointer { own in
                    guard let context = unsafe EVP_PKEY_CTX_new_from_pkey(nil, own, nil) else { return 0 }
                    defer { unsafe EVP_PKEY_CTX_free(context) }
                    var length = Scalar.length
                    guard unsafe EVP_PKEY_derive_init(context) == 1,
                        unsafe other.handle.withPointer({ unsafe EVP_PKEY_derive_set_peer(context, $0) }) == 1,
                        unsafe EVP_PKEY_derive(context, output, &length) == 1
                    else { return 0 }
                    return length == Scalar.length ? 1 : 0
                }
            }
        }

        /// The signature of `message` with SHA-256: r ‖ s, 64 bytes (RFC 7518 §3.4).
        package func sign(_ message: Span<UInt8>) throws(OpenSSLError) -> [UInt8] {
            try ECDSASignature.raw(der: handle.sign(message))
        }

        /// `EVP_PKEY_get_group_name`
        private static func isOfThisCurve(_ key: OpaquePointer) -> Bool {
            var name = [CChar](repeating: 0, count: 64)
            var length = 0
            guard unsafe EVP_PKEY_get_group_name(key, &name, name.count, &length) == 1 else {
                ERR_clear_error()
                return false
            }
            return name.prefix(length).map(UInt8.init(bitPattern:)) == Array(SN_X9_62_prime256v1.utf8)
        }
    }
}

extension P256.PrivateKey: CustomStringConvertible, CustomReflectable {
    package var description: String { "P256.PrivateKey" }
    package var customMirror: Mirror { Mirror(self, children: []) }
}
