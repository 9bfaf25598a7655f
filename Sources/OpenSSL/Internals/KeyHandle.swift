import COpenSSL

/// Owns an `EVP_PKEY`, which does not change after it was made, so that threads may share it.
@safe final class KeyHandle: @unchecked Sendable {
    private let pointer: OpaquePointer

    /// Takes over what `body` makes.
    init(orThrow failure: OpenSSLError, _ body: () -> OpaquePointer?) throws(OpenSSLError) {
        unsafe pointer = try Library.made(orThrow: failure, body)
    }

    /// Wipes the secret parts (`EVP_PKEY_free`).
    deinit { unsafe EVP_PKEY_free(pointer) }

    func withPointer<Result>(_ body: (OpaquePointer) -> Result) -> Result { unsafe body(pointer) }

    /// The private key in a text of PEM, PKCS #8 or the algorithm's own form (`PEM_read_bio_PrivateKey`).
    ///
    /// - Throws: `OpenSSLError.malformedKey`, also for one that is encrypted: nobody is asked for a password.
    static func reading(pem: Span<UInt8>) throws(OpenSSLError) -> KeyHandle {
        let length = try pem.cCount()
        // The attempts to read other forms leave errors.
        defer { ERR_clear_error() }
        return try unsafe KeyHandle(orThrow: .malformedKey) {
            unsafe pem.withCBytes { pem, _ in
                guard let source = unsafe BIO_new_mem_buf(pem, length) else { return nil }
                defer { unsafe BIO_free(source) }
                return unsafe PEM_read_bio_PrivateKey(source, nil, { _, _, _, _ in -1 }, nil)
            }
        }
    }

    /// Whether it is of this kind (`EVP_PKEY_is_a`).
    func isA(_ kind: String) -> Bool { unsafe EVP_PKEY_is_a(pointer, kind) == 1 }

    /// How large it is (`EVP_PKEY_get_bits`): the modulus of RSA.
    var bits: Int { unsafe Int(EVP_PKEY_get_bits(pointer)) }

    /// The signature of `message` with SHA-256 (`EVP_DigestSign`), in the form that the algorithm gives it.
    func sign(_ message: Span<UInt8>) throws(OpenSSLError) -> [UInt8] {
        let room = unsafe Int(EVP_PKEY_get_size(pointer))
        var length = room
        var signature = try unsafe Library.bytes(count: room, orThrow: .refused) { output in
            unsafe withDigest { context in
                guard unsafe EVP_DigestSignInit_ex(context, nil, "SHA256", nil, nil, pointer, nil) == 1 else {
                    return 0
                }
                unsafe OPENSSL_cleanse(output, room)
                return unsafe message.withCBytes { message, count in
                    unsafe EVP_DigestSign(context, output, &length, message, count)
                }
            }
        }
        signature.removeLast(room - length)
        return signature
    }

    /// Whether `signature` is that of `message` with SHA-256 (`EVP_DigestVerify`).
    func verifies(_ signature: Span<UInt8>, of message: Span<UInt8>) -> Bool {
        Library.succeeds {
            unsafe withDigest { context in
                guard unsafe EVP_DigestVerifyInit_ex(context, nil, "SHA256", nil, nil, pointer, nil) == 1 else {
                    return 0
                }
                return unsafe signature.withCBytes { signature, length in
                    unsafe message.withCBytes { message, count in
                        unsafe EVP_DigestVerify(context, signature, length, message, count)
                    }
                }
            }
        }
    }

    /// `EVP_MD_CTX_new`
    private func withDigest(_ body: (OpaquePointer) -> CInt) -> CInt {
        guard let context = unsafe EVP_MD_CTX_new() else { return 0 }
        defer { unsafe EVP_MD_CTX_free(context) }
        return unsafe body(context)
    }
}
