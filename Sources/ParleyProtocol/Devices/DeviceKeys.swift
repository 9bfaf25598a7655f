/// The public keys of one device (protocol §5).
public struct DeviceKeys: Hashable, Sendable {
    public let device: DeviceID
    /// X25519, 32 bytes.
    public let identityKey: [UInt8]
    /// Ed25519, 32 bytes.
    public let signingKey: [UInt8]?
    /// By the signing key, of `DeviceKeys.signaturePreimage`.
    public let signature: [UInt8]?
    public let createdAt: Timestamp

    public init(
        device: DeviceID, identityKey: [UInt8], signingKey: [UInt8]?, signature: [UInt8]?, createdAt: Timestamp
    ) {
        self.device = device
        self.identityKey = identityKey
        self.signingKey = signingKey
        self.signature = signature
        self.createdAt = createdAt
    }

    public func write(to writer: inout JSONWriter) {
        writer.object { object in
            object.member("device_id", device)
            object.member("identity_key", base64: identityKey)
            object.member("signing_key", base64: signingKey)
            object.member("signature", base64: signature)
            object.member("created_at", createdAt)
        }
    }

    /// What a device signs: `parley/v1 keys`, uid, did and identity key, each with its 16-bit big-endian length.
    public static func signaturePreimage(_ address: DeviceAddress, identityKey: [UInt8]) -> [UInt8] {
        var bytes: [UInt8] = []
        let parts = [
            Array("parley/v1 keys".utf8), Array(address.user.text.utf8), Array(address.device.text.utf8), identityKey,
        ]
        for part in parts {
            bytes.append(UInt8(truncatingIfNeeded: part.count >> 8))
            bytes.append(UInt8(truncatingIfNeeded: part.count))
            bytes += part
        }
        return bytes
    }
}

/// `keys/publish`: the public keys of the calling device.
public struct PublishKeys: Hashable, Sendable {
    public let identityKey: [UInt8]
    public let signingKey: [UInt8]?
    public let signature: [UInt8]?

    public init(identityKey: [UInt8], signingKey: [UInt8]? = nil, signature: [UInt8]? = nil) {
        self.identityKey = identityKey
        self.signingKey = signingKey
        self.signature = signature
    }

    init(_ object: JSONObject) throws(Rejection) {
        identityKey = try object.base64("identity_key", lengths: 32...32).required("identity_key")
        signingKey = try object.base64("signing_key", lengths: 32...32)
        signature = try object.base64("signature", lengths: 64...64)
        guard signature == nil || signingKey != nil else {
            throw .badRequest("signature", "there is no signing_key that made it")
        }
    }

    func writeFields(to object: inout JSONWriter) {
        object.member("identity_key", base64: identityKey)
        if let signingKey { object.member("signing_key", base64: signingKey) }
        if let signature { object.member("signature", base64: signature) }
    }
}
