import COpenSSL

/// Signatures of P-256, from OpenSSL's form, which is DER, to that of JSON Web Signature and back: r ‖ s, 32 bytes each
/// (RFC 7518 §3.4).
enum ECDSASignature {
    static let length = 64
    private static let half = 32

    /// `d2i_ECDSA_SIG`
    static func raw(der: [UInt8]) throws(OpenSSLError) -> [UInt8] {
        try unsafe Library.bytes(count: length, orThrow: .refused) { output in
            unsafe der.span.withCBytes { der, count in
                var position: UnsafePointer<UInt8>? = unsafe der
                guard let signature = unsafe d2i_ECDSA_SIG(nil, &position, count) else { return 0 }
                defer { unsafe ECDSA_SIG_free(signature) }
                let isWhole =
                    unsafe BN_bn2binpad(ECDSA_SIG_get0_r(signature), output, CInt(half)) == CInt(half)
                    && BN_bn2binpad(ECDSA_SIG_get0_s(signature), output + half, CInt(half)) == CInt(half)
                return isWhole ? 1 : 0
            }
        }
    }

    /// `i2d_ECDSA_SIG`
    ///
    /// - Parameter raw: 64 bytes.
    static func der(raw: Span<UInt8>) throws(OpenSSLError) -> [UInt8] {
        // Two numbers of at most 33 bytes with two before each, and two before both.
        var (count, room): (CInt, Int) = (0, 72)
        var der = try unsafe Library.bytes(count: room, orThrow: .refused) { output in
            unsafe raw.withCBytes { raw, _ in
                guard let signature = unsafe ECDSA_SIG_new() else { return 0 }
                defer { unsafe ECDSA_SIG_free(signature) }
                let r = unsafe BN_bin2bn(raw, CInt(half), nil)
                let s = unsafe BN_bin2bn(raw + half, CInt(half), nil)
                // From here on the signature owns both.
                guard unsafe ECDSA_SIG_set0(signature, r, s) == 1 else {
                    unsafe BN_free(r)
                    unsafe BN_free(s)
                    return 0
                }
                unsafe OPENSSL_cleanse(output, room)
                var position: UnsafeMutablePointer<UInt8>? = unsafe output
                count = unsafe i2d_ECDSA_SIG(signature, &position)
                return 1...CInt(room) ~= count ? 1 : 0
            }
        }
        room -= Int(count)
        der.removeLast(room)
        return der
    }
}
