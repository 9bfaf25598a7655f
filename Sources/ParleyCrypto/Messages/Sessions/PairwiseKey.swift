import Sodium

/// What two devices share in a suite. It seals content for one device, or a content key for one of several.
enum PairwiseKey: Sendable {
    case aes(AESKey)
    case box(Box.SharedKey)

    /// How long an `encrypted_key` of this kind is: nonce, sealed key, tag.
    private var encryptedKeyLength: Int {
        switch self {
        case .aes: AESKey.nonceLength + ContentKey.length + AESKey.tagLength
        case .box: Box.nonceLength + ContentKey.length + Commitment.length + Box.tagLength
        }
    }

    private var nonceLength: Int {
        switch self {
        case .aes: AESKey.nonceLength
        case .box: Box.nonceLength
        }
    }

    /// For sealing the content itself.
    var contentKey: ContentKey {
        switch self {
        case .aes(let key): .aes(key)
        case .box(let key): .box(key)
        }
    }

    /// The `encrypted_key` (protocol §6): the nonce, and the content key sealed together with the commitment.
    ///
    /// - Parameter nonce: as long as that of the suite's messages.
    func seal(_ contentKey: WipedBytes, _ commitment: [UInt8], nonce: [UInt8]) throws(SodiumError) -> [UInt8] {
        switch self {
        case .aes(let key):
            return try contentKey.withBytes { contentKey throws(SodiumError) in
                try nonce + key.seal(contentKey, nonce: nonce.span, additionalData: commitment.span)
            }
        case .box(let key):
            var plaintext: [UInt8] = []
            plaintext.reserveCapacity(ContentKey.length + commitment.count)
            defer { wipe(&plaintext) }
            contentKey.withBytes { bytes in
                for index in bytes.indices { plaintext.append(bytes[index]) }
            }
            plaintext += commitment
            return try nonce + key.seal(plaintext.span, nonce: nonce.span)
        }
    }

    /// The content key in an `encrypted_key`.
    ///
    /// - Throws: `OpeningFailure.malformed` for a length that it cannot have, `.notAuthentic` where this key did not
    ///   seal it, or not for a message with this commitment.
    func open(_ encryptedKey: [UInt8], _ commitment: [UInt8]) throws(OpeningFailure) -> WipedBytes {
        guard encryptedKey.count == encryptedKeyLength else { throw .malformed }
        let nonce = encryptedKey.span.extracting(first: nonceLength)
        let sealed = encryptedKey.span.extracting(droppingFirst: nonceLength)
        var opened: [UInt8]
        do {
            switch self {
            case .aes(let key): opened = try key.open(sealed, nonce: nonce, additionalData: commitment.span)
            case .box(let key): opened = try key.open(sealed, nonce: nonce)
            }
        } catch {
            throw OpeningFailure(error)
        }
        defer { wipe(&opened) }
        switch self {
        case .aes: break
        case .box:
            // A member was given the content key of another message: it must not serve for this one.
            guard equalInConstantTime(opened.span.extracting(droppingFirst: ContentKey.length), commitment.span)
            else { throw .notAuthentic }
        }
        return WipedBytes(copying: opened.span.extracting(first: ContentKey.length))
    }
}
