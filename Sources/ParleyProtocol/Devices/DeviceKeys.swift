/// The public keys of one device (protocol §5).
public struct DeviceKeys: Hashable, Sendable {
    public let device: DeviceID
    /// X25519, 32 bytes.
    public let identityKey: [UInt8]
    /// Ed25519, 32 bytes.
    public let signingKey: [UInt8]?
    /// By the signing key, of `DeviceKeys.signaturePreimage`.
    public let signature: [UInt8]?
    /// By the user's account key, where it has certified the device.
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

    /// What a device signs: `parley/v1 keys`, uid, did and identity key, each with its 16-bit big-endian length.
    public static func signaturePreimage(_ address: DeviceAddress, identityKey: [UInt8]) -> [UInt8] {
        var writer = ByteWriter()
        writer.field("parley/v1 keys".utf8)
        writer.field(address.user.text.utf8)
        writer.field(address.device.text.utf8)
        writer.field(identityKey)
        return writer.bytes
    }
}

extension DeviceKeys: GatewayObject {
    package init<Pass: FieldPass<DeviceKeys>>(fields pass: inout Pass) throws(Pass.Failure) {
        device = try pass.required("device_id", \.device)
        identityKey = try pass.required("identity_key", \.identityKey, as: .base64(32))
        signingKey = try pass.optional("signing_key", \.signingKey, as: .base64(32))
        signature = try pass.optional("signature", \.signature, as: .base64(64))
        let certificate = try pass.optional("certificate", \.certificate?.signature, as: .base64(64))
        let issuedAt = try pass.optional("issued_at", \.certificate?.issuedAt)
        try pass.check(certificate != nil || issuedAt == nil, or: .badRequest("certificate", "missing"))
        try pass.check(certificate == nil || issuedAt != nil, or: .badRequest("issued_at", "missing"))
        self.certificate = certificate.flatMap { signature in
            issuedAt.map { DeviceCertificate(signature: signature, issuedAt: $0) }
        }
        createdAt = try pass.required("created_at", \.createdAt)
    }

    package func write(to writer: inout JSONWriter) { writer.object { writeMembers(to: &$0) } }
}

/// `keys/publish`: the public keys of the calling device.
public struct PublishKeys: Command {
    public static let operation = Operation(validatedArea: "keys", verb: "publish")
    public static let fields =
        "identity_key, signing_key?, signature?, account_key?, certificate?, issued_at?, reset?=false"
    public typealias Reply = UserKeys

    public let identityKey: [UInt8]
    public let signingKey: [UInt8]?
    public let signature: [UInt8]?
    /// That the user's account key has certified the device; without, it publishes as apps do that know no account keys.
    public let proof: AccountProof?
    /// Whether this account key replaces the user's, which makes the user's other devices uncertified.
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

    public init(_ object: JSONObject) throws(Rejection) {
        identityKey = try object.base64("identity_key", lengths: 32...32).required("identity_key")
        signingKey = try object.base64("signing_key", lengths: 32...32)
        signature = try object.base64("signature", lengths: 64...64)
        guard signature == nil || signingKey != nil else {
            throw .badRequest("signature", "there is no signing_key that made it")
        }
        let accountKey = try object.base64("account_key", lengths: 32...32)
        let certificate = try DeviceCertificate(optional: object)
        if accountKey != nil || certificate != nil {
            proof = AccountProof(
                accountKey: try accountKey.required("account_key"), certificate: try certificate.required("certificate")
            )
            guard signingKey != nil else {
                throw .badRequest("certificate", "there is no signing_key that it could be of")
            }
        } else {
            proof = nil
        }
        resetsAccount = try object.bool("reset") ?? false
        guard !resetsAccount || proof != nil else {
            throw .badRequest("reset", "there is no account_key that could take the place of another")
        }
    }

    public func writeFields(to object: inout JSONWriter) {
        object.member("identity_key", base64: identityKey)
        if let signingKey { object.member("signing_key", base64: signingKey) }
        if let signature { object.member("signature", base64: signature) }
        if let proof {
            object.member("account_key", base64: proof.accountKey)
            proof.certificate.writeMembers(to: &object)
        }
        if resetsAccount { object.member("reset", true) }
    }
}

/// `keys/get`: the public keys of a user and their devices.
public struct GetKeys: Query, UserRequest {
    public static let operation = Operation(validatedArea: "keys", verb: "get")
    public typealias Reply = UserKeys

    public let user: UserID

    public init(user: UserID) { self.user = user }
}
