import Sodium

// `#expect` cannot hold a `Span`: the same functions over arrays.

extension Ed25519.PublicKey {
    func verifies(_ signature: [UInt8], of message: [UInt8]) -> Bool { verifies(signature.span, of: message.span) }
}

extension Ed25519.SigningKey {
    func sign(_ message: [UInt8]) throws -> [UInt8] { try sign(message.span) }
}

extension SecretBytes {
    convenience init(copying bytes: [UInt8]) throws(SodiumError) { try self.init(copying: bytes.span) }
}

extension X25519 {
    static func acceptsPublicKey(_ key: [UInt8]) -> Bool { acceptsPublicKey(key.span) }
    static func isLowOrder(_ key: [UInt8]) -> Bool { isLowOrder(key.span) }
}

extension SHA256 {
    static func hash(_ message: [UInt8]) throws -> [UInt8] { try hash(message.span) }
}

extension BLAKE2b {
    static func hash(_ message: [UInt8], length: DigestLength) throws -> [UInt8] {
        try hash(message.span, length: length)
    }
}

func equalInConstantTime(_ left: [UInt8], _ right: [UInt8]) -> Bool {
    Sodium.equalInConstantTime(left.span, right.span)
}
