import ParleyProtocol

/// A message as it travels (protocol §5, "message"): what the gateway stores, and nobody but its devices can open.
public struct SealedMessage: Hashable, Sendable {
    public let suite: Suite
    /// As long as the suite says.
    public let nonce: [UInt8]
    /// `encrypted_content`.
    public let content: [UInt8]
    /// The content key, sealed for each device; `nil` where the content itself is sealed for one.
    public let recipientKeys: [RecipientKey]?

    public init(suite: Suite, nonce: [UInt8], content: [UInt8], recipientKeys: [RecipientKey]?) {
        self.suite = suite
        self.nonce = nonce
        self.content = content
        self.recipientKeys = recipientKeys
    }
}

extension Suite {
    /// The suite that a message names.
    ///
    /// - Throws: `OpeningFailure.unknownSuite`, with at most 64 characters of the name.
    public init(named name: String) throws(OpeningFailure) {
        guard let suite = Suite(rawValue: name) else { throw .unknownSuite(String(name.prefix(64))) }
        self = suite
    }
}
