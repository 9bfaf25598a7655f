/// The statement of a user's account key that a device is the user's (protocol §6, "Account keys").
public struct DeviceCertificate: GatewayObject {
    /// Ed25519, 64 bytes, by the account key, of `DeviceCertificate.preimage`.
    public let signature: [UInt8]
    /// The later of two certificates of one device counts.
    public let issuedAt: Timestamp

    public init(signature: [UInt8], issuedAt: Timestamp) { (self.signature, self.issuedAt) = (signature, issuedAt) }

    /// The signed bytes: `parley/v1 device`, uid, did, identity key, signing key and `issued_at` in decimal
    /// milliseconds, each with its 16-bit big-endian length.
    public static func preimage(
        _ address: DeviceAddress, identityKey: [UInt8], signingKey: [UInt8], issuedAt: Timestamp
    ) -> [UInt8] {
        ByteWriter.preimage(
            "parley/v1 device", address, identityKey, signingKey, Array(String(issuedAt.milliseconds).utf8))
    }

    package init<Pass: FieldPass<DeviceCertificate>>(fields pass: inout Pass) throws(Pass.Failure) {
        signature = try pass.required("certificate", \.signature, as: .base64(64))
        issuedAt = try pass.required("issued_at", \.issuedAt)
    }
}

extension FieldPass {
    /// A certificate and its time, both or neither.
    mutating func certificate(
        _ value: (Object) -> DeviceCertificate?, without absence: FieldAbsence
    ) throws(Failure) -> DeviceCertificate? {
        let signature = try optional("certificate", { value($0)?.signature }, as: .base64(64), without: absence)
        let issuedAt = try optional("issued_at", { value($0)?.issuedAt }, without: absence)
        try check(signature != nil || issuedAt == nil, or: .badRequest("certificate", "missing"))
        try check(signature == nil || issuedAt != nil, or: .badRequest("issued_at", "missing"))
        return signature.flatMap { signature in
            issuedAt.map { DeviceCertificate(signature: signature, issuedAt: $0) }
        }
    }
}

/// The account key of a user, and its certificate of the device that publishes it.
public struct AccountProof: Hashable, Sendable {
    /// Ed25519, 32 bytes.
    public let accountKey: [UInt8]
    public let certificate: DeviceCertificate

    public init(accountKey: [UInt8], certificate: DeviceCertificate) {
        (self.accountKey, self.certificate) = (accountKey, certificate)
    }
}
