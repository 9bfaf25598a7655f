import COpenSSL

/// The private number of a key of P-256, wiped when it goes.
@safe struct Scalar: ~Copyable {
    static let length = 32

    /// A `BIGNUM`.
    private let number: OpaquePointer

    /// Takes over what `body` makes.
    private init(_ body: () -> OpaquePointer?) throws(OpenSSLError) {
        unsafe number = try Library.made(orThrow: .malformedKey, body)
    }

    deinit { unsafe BN_clear_free(number) }

    /// Of 32 bytes, big-endian (`BN_bin2bn`).
    static func reading(_ bytes: Span<UInt8>) throws(OpenSSLError) -> Scalar {
        try bytes.requireCount(length)
        return try unsafe Scalar {
            unsafe bytes.withCBytes { bytes, count in unsafe BN_bin2bn(bytes, CInt(count), nil) }
        }
    }

    /// Of a key that has one (`EVP_PKEY_get_bn_param`).
    static func reading(_ key: KeyHandle) throws(OpenSSLError) -> Scalar {
        try unsafe Scalar {
            var number: OpaquePointer?
            guard unsafe key.withPointer({ unsafe EVP_PKEY_get_bn_param($0, OSSL_PKEY_PARAM_PRIV_KEY, &number) }) == 1
            else { return nil }
            return unsafe number
        }
    }

    /// The 32 bytes, big-endian (`BN_bn2binpad`), which are the caller's to wipe.
    func bytes() throws(OpenSSLError) -> [UInt8] {
        try unsafe Library.bytes(count: Self.length, orThrow: .malformedKey) { output in
            unsafe BN_bn2binpad(number, output, CInt(Self.length)) == CInt(Self.length) ? 1 : 0
        }
    }

    /// The same in the order of the processor (`BN_bn2nativepad`).
    private func nativeBytes() throws(OpenSSLError) -> [UInt8] {
        try unsafe Library.bytes(count: Self.length, orThrow: .malformedKey) { output in
            unsafe BN_bn2nativepad(number, output, CInt(Self.length)) == CInt(Self.length) ? 1 : 0
        }
    }

    /// The 65 bytes of the public point (`EC_POINT_mul`, `EC_POINT_point2oct`).
    ///
    /// - Throws: `OpenSSLError.malformedKey` for zero, and for what is not less than the order of the group.
    func point() throws(OpenSSLError) -> [UInt8] {
        try unsafe Library.bytes(count: P256.PublicKey.length, orThrow: .malformedKey) { output in
            guard let group = unsafe EC_GROUP_new_by_curve_name(NID_X9_62_prime256v1) else { return 0 }
            defer { unsafe EC_GROUP_free(group) }
            guard let order = unsafe EC_GROUP_get0_order(group), unsafe BN_is_zero(number) == 0,
                unsafe BN_cmp(number, order) < 0, let point = unsafe EC_POINT_new(group)
            else { return 0 }
            defer { unsafe EC_POINT_free(point) }
            guard unsafe EC_POINT_mul(group, point, number, nil, nil, nil) == 1 else { return 0 }
            let written = unsafe EC_POINT_point2oct(
                group, point, POINT_CONVERSION_UNCOMPRESSED, output, P256.PublicKey.length, nil)
            return written == P256.PublicKey.length ? 1 : 0
        }
    }

    /// The key of P-256 of this number and its point (`EVP_PKEY_fromdata`).
    func key(point: [UInt8]) throws(OpenSSLError) -> KeyHandle {
        var native = try nativeBytes()
        defer { cleanse(&native) }
        return try unsafe KeyHandle(orThrow: .malformedKey) {
            unsafe point.span.withCBytes { point, _ in
                unsafe native.withUnsafeMutableBufferPointer { unsafe parley_p256_key(point, $0.baseAddress) }
            }
        }
    }
}
