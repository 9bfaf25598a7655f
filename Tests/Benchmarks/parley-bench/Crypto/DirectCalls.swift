import OpenSSL
import ParleyProtocol
import Sodium

/// The output of a library: a nonce, the ciphertext, and a sealed content key if there is one.
struct DirectMessage {
    var nonce: [UInt8]
    var sealed: [UInt8]
    var keyNonce: [UInt8] = []
    var sealedKey: [UInt8] = []
}

/// The calls of a library that a suite comes down to, and nothing else: the key is ready, and so is the header.
protocol DirectCalls {
    func seal(_ content: [UInt8], header: [UInt8]) throws -> DirectMessage
    func open(_ message: DirectMessage, header: [UInt8]) throws -> [UInt8]
}

/// `randombytes_buf` and `EVP_CipherUpdate` with a key that is expanded.
struct OpenSSLAES: DirectCalls {
    private let key: AESGCM.Key

    init() throws {
        let bytes = try RandomBytes.make(count: 32)
        key = try AESGCM.Key(bytes.span, .bits256)
    }

    func seal(_ content: [UInt8], header: [UInt8]) throws -> DirectMessage {
        let nonce = try RandomBytes.make(count: AESGCM.nonceLength)
        let sealed = try key.seal(content.span, nonce: nonce.span, additionalData: header.span)
        return DirectMessage(nonce: nonce, sealed: sealed)
    }

    func open(_ message: DirectMessage, header: [UInt8]) throws -> [UInt8] {
        try key.open(message.sealed.span, nonce: message.nonce.span, additionalData: header.span)
    }
}

/// `randombytes_buf` and `crypto_box_…_afternm` of header and content.
struct SodiumBox: DirectCalls {
    private let key: Box.SharedKey

    init() throws { key = try Box.SharedKey(between: .generate(), and: X25519.SecretKey.generate().publicKey) }

    func seal(_ content: [UInt8], header: [UInt8]) throws -> DirectMessage {
        let nonce = try RandomBytes.make(count: Box.nonceLength)
        let plaintext = header + content
        return DirectMessage(nonce: nonce, sealed: try key.seal(plaintext.span, nonce: nonce.span))
    }

    func open(_ message: DirectMessage, header: [UInt8]) throws -> [UInt8] {
        try key.open(message.sealed.span, nonce: message.nonce.span)
    }
}

/// XChaCha20-Poly1305 with a key of its own, BLAKE2b for the commitment, and a box of both for one device.
struct SodiumGroup: DirectCalls {
    private let key: Box.SharedKey

    init() throws { key = try Box.SharedKey(between: .generate(), and: X25519.SecretKey.generate().publicKey) }

    func seal(_ content: [UInt8], header: [UInt8]) throws -> DirectMessage {
        let (nonce, keyNonce) = (try RandomBytes.make(count: 24), try RandomBytes.make(count: 24))
        let contentKey = try RandomBytes.make(count: 32)
        let sealed = try XChaCha20Poly1305.seal(
            content.span, nonce: nonce.span, additionalData: header.span, key: contentKey.span)
        let committed = header + nonce + sealed
        let headedKey = try contentKey + BLAKE2b.hash(committed.span, length: .bytes32)
        let sealedKey = try key.seal(headedKey.span, nonce: keyNonce.span)
        return DirectMessage(nonce: nonce, sealed: sealed, keyNonce: keyNonce, sealedKey: sealedKey)
    }

    func open(_ message: DirectMessage, header: [UInt8]) throws -> [UInt8] {
        let opened = try key.open(message.sealedKey.span, nonce: message.keyNonce.span)
        let committed = header + message.nonce + message.sealed
        let commitment = try BLAKE2b.hash(committed.span, length: .bytes32)
        guard equalInConstantTime(commitment.span, opened.span.extracting(32...)) else {
            throw SodiumError.notAuthentic
        }
        return try XChaCha20Poly1305.open(
            message.sealed.span, nonce: message.nonce.span, additionalData: header.span,
            key: opened.span.extracting(0..<32))
    }
}

extension Suite.Bound {
    /// The row of a table.
    var benchmarkName: String {
        switch self {
        case .x25519AESGCM, .naclBox: rawValue
        case .groupBox: "\(rawValue) for one device"
        }
    }

    /// The calls of its libraries alone.
    func directCalls() throws -> any DirectCalls {
        switch self {
        case .x25519AESGCM: try OpenSSLAES()
        case .naclBox: try SodiumBox()
        case .groupBox: try SodiumGroup()
        }
    }
}
