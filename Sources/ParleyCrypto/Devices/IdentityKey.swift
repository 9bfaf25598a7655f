import ParleyProtocol
import Sodium

/// A device's public X25519 key (RFC 7748), by which others seal for it and know what it has sealed.
///
/// There is none that is of low order: with such a key every shared secret would be zero.
public struct IdentityKey: Hashable, Sendable {
    public static let length = 32

    public let bytes: [UInt8]

    /// - Returns: `nil` unless there are 32 bytes that are not of low order, in any spelling.
    public init?(_ bytes: [UInt8]) {
        guard X25519.acceptsPublicKey(bytes.span) else { return nil }
        self.bytes = bytes
    }

    /// The key that another device has published.
    ///
    /// - Throws: `OpeningError.malformed` unless there are 32 bytes, `.weakKey` for a key of low order.
    public init(published bytes: [UInt8]) throws(OpeningError) {
        guard bytes.count == IdentityKey.length else { throw .malformed }
        guard let key = IdentityKey(bytes) else { throw .weakKey }
        self = key
    }

    /// Names the key beside what was sealed for it (protocol §5, "recipient key"); `nil` where there is no memory.
    public var id: KeyID? { KeyID(naming: bytes) }

    /// All bytes in one step, where an array would hash each by itself.
    public func hash(into hasher: inout Hasher) {
        unsafe bytes.withUnsafeBytes { unsafe hasher.combine(bytes: $0) }
    }
}

extension KeyID {
    /// The id of an identity key as it is published, usable or not; `nil` where there is no memory.
    package init?(naming key: [UInt8]) {
        guard let digest = try? BLAKE2b.hash(key.span, length: .bytes32) else { return nil }
        self.init(Array(digest.prefix(KeyID.length)))
    }
}
