import COpenSSL

/// SHA-1 (FIPS 180-4), which the handshake of WebSocket asks for (RFC 6455 §4.2.2). It protects nothing.
package enum SHA1 {
    /// The 20-byte digest (`EVP_Digest`).
    package static func digest(of message: Span<UInt8>) throws(OpenSSLError) -> [UInt8] {
        try unsafe Library.bytes(count: 20, orThrow: .refused) { output in
            unsafe message.withCBytes { bytes, count in
                unsafe EVP_Digest(bytes, count, output, nil, EVP_sha1(), nil)
            }
        }
    }
}
