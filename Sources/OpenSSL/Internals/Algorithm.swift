import COpenSSL

/// An algorithm, looked up once (`EVP_CIPHER_fetch`, `EVP_MD_fetch`) and never freed: a look-up takes longer than the
/// sealing of a short message.
@safe struct Algorithm: @unchecked Sendable {
    /// `nil` if the library has none of that name; its users refuse that.
    let pointer: OpaquePointer?

    static let aes128GCM = unsafe Algorithm(pointer: EVP_CIPHER_fetch(nil, "AES-128-GCM", nil))
    static let aes256GCM = unsafe Algorithm(pointer: EVP_CIPHER_fetch(nil, "AES-256-GCM", nil))
    static let sha256 = unsafe Algorithm(pointer: EVP_MD_fetch(nil, "SHA256", nil))
}
