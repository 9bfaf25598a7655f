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

    var array: [UInt8] {
        withBytes { bytes in (0..<bytes.count).map { bytes[$0] } }
    }
}

extension WipedBytes {
    var array: [UInt8] {
        withBytes { bytes in (0..<bytes.count).map { bytes[$0] } }
    }
}

extension X25519 {
    static func acceptsPublicKey(_ key: [UInt8]) -> Bool { acceptsPublicKey(key.span) }
    static func isLowOrder(_ key: [UInt8]) -> Bool { isLowOrder(key.span) }
}

extension X25519.SecretKey {
    init(_ bytes: [UInt8]) throws { try self.init(SecretBytes(copying: bytes)) }
}

extension Box.SharedKey {
    func seal(_ message: [UInt8], nonce: [UInt8]) throws -> [UInt8] { try seal(message.span, nonce: nonce.span) }
    func open(_ box: [UInt8], nonce: [UInt8]) throws -> [UInt8] { try open(box.span, nonce: nonce.span) }
}

extension Box {
    static func sealAnonymously(_ message: [UInt8], to recipient: X25519.PublicKey) throws -> [UInt8] {
        try sealAnonymously(message.span, to: recipient)
    }

    static func openAnonymously(_ box: [UInt8], with secret: X25519.SecretKey) throws -> [UInt8] {
        try openAnonymously(box.span, with: secret)
    }
}

extension SecretBox {
    static func seal(_ message: [UInt8], nonce: [UInt8], key: [UInt8]) throws -> [UInt8] {
        try seal(message.span, nonce: nonce.span, key: key.span)
    }

    static func open(_ box: [UInt8], nonce: [UInt8], key: [UInt8]) throws -> [UInt8] {
        try open(box.span, nonce: nonce.span, key: key.span)
    }
}

extension XChaCha20Poly1305 {
    static func seal(_ message: [UInt8], nonce: [UInt8], data: [UInt8], key: [UInt8]) throws -> [UInt8] {
        try seal(message.span, nonce: nonce.span, additionalData: data.span, key: key.span)
    }

    static func open(_ sealed: [UInt8], nonce: [UInt8], data: [UInt8], key: [UInt8]) throws -> [UInt8] {
        try open(sealed.span, nonce: nonce.span, additionalData: data.span, key: key.span)
    }
}

extension SHA256 {
    static func hash(_ message: [UInt8]) throws -> [UInt8] { try hash(message.span) }
}

extension SHA512 {
    static func hash(_ message: [UInt8]) -> [UInt8] { hash(message.span) }
}

extension HMACSHA256 {
    /// The tag of a message that is given in parts.
    static func tag(ofParts parts: [[UInt8]], key: [UInt8]) throws -> [UInt8] {
        var authenticator = try HMACSHA256(key: key.span)
        for part in parts { try authenticator.update(part.span) }
        return try authenticator.finish().array
    }

    static func tag(of message: [UInt8], key: [UInt8]) throws -> [UInt8] {
        try authenticate(message.span, key: key.span).array
    }
}

extension BLAKE2b {
    static func hash(_ message: [UInt8], length: DigestLength) throws -> [UInt8] {
        try hash(message.span, length: length)
    }

    static func hash(_ message: [UInt8], length: DigestLength, key: [UInt8]) throws -> [UInt8] {
        try hash(message.span, length: length, key: key.span)
    }

    /// The digest of a message that is given in parts.
    static func hash(parts: [[UInt8]], length: DigestLength, key: [UInt8]?) throws -> [UInt8] {
        var hasher =
            if let key { try BLAKE2b(length: length, key: key.span) } else { try BLAKE2b(length: length) }
        for part in parts { try hasher.update(part.span) }
        return try hasher.finish()
    }
}

extension Argon2id {
    static func derive(_ password: [UInt8], salt: [UInt8], cost: Cost, length: Int) throws -> [UInt8] {
        try derive(password: password.span, salt: salt.span, cost: cost, length: length).array
    }
}

func equalInConstantTime(_ left: [UInt8], _ right: [UInt8]) -> Bool {
    Sodium.equalInConstantTime(left.span, right.span)
}
