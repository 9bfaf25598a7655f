/// The public keys of one device (protocol §5).
public struct DeviceKeys: GatewayObject {
    public let device: DeviceID
    /// X25519, 32 bytes.
    public let identityKey: [UInt8]
    /// Ed25519, 32 bytes.
    public let signingKey: [UInt8]?
    /// By the signing key, of `DeviceKeys.signaturePreimage`.
    public let signature: [UInt8]?
    /// `nil` if the user's account key has not certified the device.
    public let certificate: DeviceCertificate?
    public let createdAt: Timestamp

    public init(
        device: DeviceID, identityKey: [UInt8], signingKey: [UInt8]?, signature: [UInt8]?,
        certificate: DeviceCertificate? = nil, createdAt: Timestamp
    ) {
        self.device = device
        self.identityKey = identityKey
        self.signingKey = signingKey
        self.signature = signature
        self.certificate = certificate
        self.createdAt = createdAt
    }

    /// The bytes that a device signs: `parley/v1 keys`, uid, did and identity key, each with its 16-bit big-endian
    /// length.
    public static func signaturePreimage(_ address: DeviceAddress, identityKey: [UInt8]) -> [UInt8] {
        ByteWriter.preimage("parley/v1 keys", address, identityKey)
    }

    package init<Pass: FieldPass<DeviceKeys>>(fields pass: inout Pass) throws(Pass.Failure) {
        device = try pass.required("device_id", \.device)
        identityKey = try pass.required("identity_key", \.identityKey, as: .base64(32))
        signingKey = try pass.optional("signing_key", \.signingKey, as: .base64(32))
        signature = try pass.optional("signature", \.signature, as: .base64(64))
        certificate = try pass.certificate(\.certificate, without: .null)
        createdAt = try pass.required("created_at", \.createdAt)
    }

    package func write(to writer: inout JSONWriter) { writer.object { writeMembers(to: &$0) } }
}

/// `keys/publish`: the public keys of the calling device.
public struct PublishKeys: Command {
    public static let operation = Operation(validatedArea: "keys", verb: "publish")
    public typealias Reply = UserKeys

    public let identityKey: [UInt8]
    public let signingKey: [UInt8]?
    public let signature: [UInt8]?
    /// `nil` for an app that knows no account keys.
    public let proof: AccountProof?
    /// Whether this account key replaces the user's, whose other devices become uncertified.
    public let resetsAccount: Bool

    public init(
        identityKey: [UInt8], signingKey: [UInt8]? = nil, signature: [UInt8]? = nil, proof: AccountProof? = nil,
        resetsAccount: Bool = false
    ) {
        self.identityKey = identityKey
        self.signingKey = signingKey
        self.signature = signature
        self.proof = proof
        self.resetsAccount = resetsAccount
    }

    package init<Pass: FieldPass<PublishKeys>>(fields pass: inout Pass) throws(Pass.Failure) {
        identityKey = try pass.required("identity_key", \.identityKey, as: .base64(32))
        signingKey = try pass.optional("signing_key", \.signingKey, as: .base64(32))
        signature = try pass.optional("signature", \.signature, as: .base64(64))
        try pass.check(
            signature == nil || signingKey != nil, or: .badRequest("signature", "there is no signing_key that made it"))
        let accountKey = try pass.optional("account_key", \.proof?.accountKey, as: .base64(32))
        let certificate = try pass.certificate(\.proof?.certificate, without: .omitted)
        try pass.check(accountKey != nil || certificate == nil, or: .badRequest("account_key", "missing"))
        try pass.check(accountKey == nil || certificate != nil, or: .badRequest("certificate", "missing"))
        proof = accountKey.flatMap { accountKey in
            certificate.map { AccountProof(accountKey: accountKey, certificate: $0) }
        }
        try pass.check(
            proof == nil || signingKey != nil,
            or: .badRequest("certificate", "there is no signing_key that it could be of"))
        resetsAccount = try pass.flag("reset", \.resetsAccount)
        try pass.check(
            !resetsAccount || proof != nil,
            or: .badRequest("reset", "there is no account_key that could take the place of another"))
    }
}

/// `keys/get`: the public keys of a user and their devices.
public struct GetKeys: Query, UserRequest {
    public static let operation = Operation(validatedArea: "keys", verb: "get")
    public typealias Reply = UserKeys

    public let user: UserID

    public init(user: UserID) { self.user = user }
}
