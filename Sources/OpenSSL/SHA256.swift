import COpenSSL

/// SHA-256 (FIPS 180-4) of a message in parts, by the processor's instructions where it has them.
@safe package struct SHA256: ~Copyable {
    package static let digestLength = 32

    private let context: OpaquePointer

    /// `EVP_MD_CTX_new`
    private init(empty: Void) throws(OpenSSLError) {
        unsafe context = try Library.made(orThrow: .refused) { unsafe EVP_MD_CTX_new() }
    }

    deinit { unsafe EVP_MD_CTX_free(context) }

    /// Begins a message (`EVP_DigestInit_ex2`).
    package static func begin() throws(OpenSSLError) -> SHA256 {
        let hash = try SHA256(empty: ())
        try Library.call(orThrow: .refused) {
            // Without an algorithm the call would succeed, and do nothing.
            guard let algorithm = unsafe Algorithm.sha256.pointer else { return 0 }
            return unsafe EVP_DigestInit_ex2(hash.context, algorithm, nil)
        }
        return hash
    }

    /// Appends a part of the message (`EVP_DigestUpdate`).
    package mutating func update(_ part: Span<UInt8>) throws(OpenSSLError) {
        try Library.call(orThrow: .refused) {
            unsafe part.withCBytes { part, count in unsafe EVP_DigestUpdate(context, part, count) }
        }
    }

    /// The 32-byte digest of the whole message (`EVP_DigestFinal_ex`).
    package consuming func finish() throws(OpenSSLError) -> [UInt8] {
        try unsafe Library.bytes(count: Self.digestLength, orThrow: .refused) { output in
            unsafe EVP_DigestFinal_ex(context, output, nil)
        }
    }
}
