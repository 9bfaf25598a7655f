/// A ciphertext with what a device needs to open it (protocol §6): the part that a message, an edit and a reaction share.
public struct SealedContent: Hashable, Sendable {
    public let suite: Suite
    /// The ciphertext, 16 bytes to 64 KiB.
    public let content: [UInt8]
    /// Its length depends on the suite.
    public let nonce: [UInt8]
    public let recipientKeys: [RecipientKey]?
    /// Of the identity key that it was sealed for, without `recipient_keys`. The gateway checks it and stores nothing of it.
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

    init(_ object: JSONObject) throws(Rejection) {
        suite = try object.choice("suite", as: Suite.self).required("suite")
        content = try object.base64(
            "encrypted_content", lengths: Limits.minimumContentBytes...Limits.contentBytes
        ).required("encrypted_content")
        nonce = try object.base64("nonce", lengths: suite.nonceLength...suite.nonceLength).required("nonce")
        recipientKeys = try SealedContent.recipientKeys(object)
        recipientKeyID = try KeyID.read("recipient_key_id", of: object)
    }

    private static func recipientKeys(_ object: JSONObject) throws(Rejection) -> [RecipientKey]? {
        guard let elements = try object.objects("recipient_keys", maximum: Limits.recipientKeys) else { return nil }
        var keys: [RecipientKey] = []
        keys.reserveCapacity(elements.count)
        var seen: Set<DeviceAddress> = []
        for element in elements {
            let key = try RecipientKey(element)
            guard seen.insert(key.address).inserted else {
                throw .badRequest("recipient_keys", "a device is named twice")
            }
            keys.append(key)
        }
        return keys
    }

    func writeFields(to object: inout JSONWriter) {
        object.member("suite", suite.rawValue)
        object.member("encrypted_content", base64: content)
        object.member("nonce", base64: nonce)
        if let recipientKeys { object.member("recipient_keys", raw: RecipientKey.json(recipientKeys)) }
        if let recipientKeyID { object.member("recipient_key_id", base64: recipientKeyID.bytes) }
    }
}
