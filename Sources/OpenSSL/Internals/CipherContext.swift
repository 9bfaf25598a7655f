import COpenSSL

/// Owns an `EVP_CIPHER_CTX` of AES-GCM whose key is expanded. A message needs nothing of its own but its nonce.
@safe struct CipherContext: ~Copyable {
    private let pointer: OpaquePointer

    /// `EVP_CIPHER_CTX_new`
    private init() throws(OpenSSLError) {
        unsafe pointer = try Library.made(orThrow: .refused) { unsafe EVP_CIPHER_CTX_new() }
    }

    /// Wipes the key (`EVP_CIPHER_CTX_free`).
    deinit { unsafe EVP_CIPHER_CTX_free(pointer) }

    /// With a key of the length that the cipher has (`EVP_CipherInit_ex2`).
    static func make(_ cipher: Algorithm, key: Span<UInt8>) throws(OpenSSLError) -> CipherContext {
        let context = try CipherContext()
        try Library.call(orThrow: .refused) {
            unsafe key.withCBytes { key, _ in
                // Without a cipher the call would succeed, and do nothing.
                guard let cipher = unsafe cipher.pointer else { return 0 }
                return unsafe EVP_CipherInit_ex2(context.pointer, cipher, key, nil, 1, nil)
            }
        }
        return context
    }

    /// The ciphertext and its tag (`EVP_CipherUpdate`, `EVP_CipherFinal_ex`).
    ///
    /// - Parameter nonce: 12 bytes.
    mutating func seal(
        _ message: Span<UInt8>, nonce: Span<UInt8>, additionalData: Span<UInt8>
    ) throws(OpenSSLError) -> [UInt8] {
        let (length, dataLength) = (try message.cCount(), try additionalData.cCount())
        let count = message.count
        return try unsafe Library.bytes(count: count + AESGCM.tagLength, orThrow: .refused) { output in
            unsafe message.withCBytes { message, _ in
                unsafe additionalData.withCBytes { data, _ in
                    var written: CInt = 0
                    guard begin(sealing: true, nonce: nonce),
                        dataLength == 0
                            || (unsafe EVP_CipherUpdate(pointer, nil, &written, data, dataLength)) == 1,
                        length == 0 || (unsafe EVP_CipherUpdate(pointer, output, &written, message, length)) == 1,
                        unsafe EVP_CipherFinal_ex(pointer, output + count, &written) == 1
                    else { return 0 }
                    return unsafe EVP_CIPHER_CTX_ctrl(
                        pointer, EVP_CTRL_AEAD_GET_TAG, CInt(AESGCM.tagLength), output + count)
                }
            }
        }
    }

    /// The message that was sealed (`EVP_CipherUpdate`, `EVP_CipherFinal_ex`, which compares the tags).
    ///
    /// - Parameters:
    ///   - sealed: at least a tag.
    ///   - nonce: 12 bytes.
    mutating func open(
        _ sealed: Span<UInt8>, nonce: Span<UInt8>, additionalData: Span<UInt8>
    ) throws(OpenSSLError) -> [UInt8] {
        let (dataLength, count) = (try additionalData.cCount(), sealed.count - AESGCM.tagLength)
        let length = try sealed.cCount() - CInt(AESGCM.tagLength)
        return try unsafe Library.bytes(count: count, orThrow: .notAuthentic) { output in
            unsafe sealed.withCBytes { sealed, _ in
                unsafe additionalData.withCBytes { data, _ in
                    var written: CInt = 0
                    // It is only read.
                    let tag = unsafe UnsafeMutablePointer(mutating: sealed + count)
                    guard begin(sealing: false, nonce: nonce),
                        unsafe EVP_CIPHER_CTX_ctrl(
                            pointer, EVP_CTRL_AEAD_SET_TAG, CInt(AESGCM.tagLength), tag) == 1,
                        dataLength == 0
                            || (unsafe EVP_CipherUpdate(pointer, nil, &written, data, dataLength)) == 1,
                        length == 0 || (unsafe EVP_CipherUpdate(pointer, output, &written, sealed, length)) == 1
                    else { return 0 }
                    return unsafe EVP_CipherFinal_ex(pointer, output + count, &written)
                }
            }
        }
    }

    /// Begins a message; the key stays (`EVP_CipherInit_ex2`).
    private func begin(sealing: Bool, nonce: Span<UInt8>) -> Bool {
        unsafe nonce.withCBytes { nonce, _ in
            unsafe EVP_CipherInit_ex2(pointer, nil, nil, nonce, sealing ? 1 : 0, nil) == 1
        }
    }
}
