/// A ciphertext and the parameters to open it (protocol §6), as messages, edits and reactions have it.
public struct SealedContent: GatewayObject {
    public let suite: Suite
    /// The ciphertext, 16 bytes to 64 KiB.
    public let content: [UInt8]
    /// Its length depends on the suite.
    public let nonce: [UInt8]
    /// `nil` for content that is sealed for one device, as in the form of old apps always.
    public let recipientKeys: [RecipientKey]?
    /// The identity key that it was sealed for, without `recipient_keys`. The gateway checks it and does not store it.
    public let recipientKeyID: KeyID?

    public init(
        suite: Suite, content: [UInt8], nonce: [UInt8], recipientKeys: [RecipientKey]? = nil,
        recipientKeyID: KeyID? = nil
    ) {
        self.suite = suite
        self.content = content
        self.nonce = nonce
        self.recipientKeys = recipientKeys
        self.recipientKeyID = recipientKeyID
    }

    @inline(__always)
    package init<Pass: FieldPass<SealedContent>>(fields pass: inout Pass) throws(Pass.Failure) {
        suite = try pass.required("suite", \.suite)
        content = try pass.required(
            "encrypted_content", \.content, as: .base64(Limits.minimumContentBytes...Limits.contentBytes))
        nonce = try pass.required("nonce", \.nonce, as: .base64(suite.nonceLength))
        recipientKeys = try pass.optional(
            "recipient_keys", \.recipientKeys, as: RecipientKeysForm(suite: suite), without: .omitted)
        recipientKeyID = try pass.optional("recipient_key_id", \.recipientKeyID, without: .omitted)
    }
}

/// The content keys, at most one for each device.
private struct RecipientKeysForm: FieldForm {
    let suite: Suite

    func read(_ name: String, of object: JSONObject) throws(Rejection) -> [RecipientKey]? {
        guard let elements = try object.objects(name, maximum: Limits.recipientKeys) else { return nil }
        guard suite.bound != nil else { throw .badRequest(name, "\(suite.rawValue) has none") }
        var keys: [RecipientKey] = []
        keys.reserveCapacity(elements.count)
        var seen: Set<DeviceAddress> = []
        for element in elements {
            let key = try RecipientKey(sent: element)
            guard seen.insert(key.address).inserted else { throw .badRequest(name, "a device is named twice") }
            keys.append(key)
        }
        return keys
    }

    func write(_ value: [RecipientKey], to writer: inout JSONWriter) {
        writer.array(value) { $1.write(to: &$0) }
    }

    var schema: FieldSchema {
        let key = FieldSchema.members(
            FieldSchema.Member("user_id", .user), FieldSchema.Member("device_id", .device),
            FieldSchema.Member("encrypted_key", .base64(Limits.encryptedKeyBytes)),
            FieldSchema.Member("key_id", KeyID.schema, isRequired: false))
        return .array(key, 0...Limits.recipientKeys)
    }
}
