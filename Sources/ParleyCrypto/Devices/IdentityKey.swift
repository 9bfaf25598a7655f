import ParleyProtocol
import Sodium

/// A device's public X25519 key (RFC 7748), by which others seal for it and verify its messages.
///
/// Never of low order: with such a key every shared secret would be zero.
public struct IdentityKey: Hashable, Sendable {
    public static let length = 32

    public let bytes: [UInt8]

    /// - Returns: `nil` unless there are 32 bytes that are not of low order, in any encoding.
    public init?(_ bytes: [UInt8]) {
        guard X25519.acceptsPublicKey(bytes.span) else { return nil }
        self.bytes = bytes
    }

    /// Another device's published key.
    ///
    /// - Throws: `OpeningError.malformed` unless there are 32 bytes, `.weakKey` for a key of low order.
    public init(published bytes: [UInt8]) throws(OpeningError) {
        guard bytes.count == IdentityKey.length else { throw .malformed }
        guard let key = IdentityKey(bytes) else { throw .weakKey }
        self = key
    }

    /// The id of the key, beside data sealed for it (protocol §5, "recipient key"); `nil` without memory.
    public var id: KeyID? { KeyID(naming: bytes) }

    /// All bytes in one step; an array would hash each by itself.
    public func hash(into hasher: inout Hasher) {
        unsafe bytes.withUnsafeBytes { unsafe hasher.combine(bytes: $0) }
    }
}

extension KeyID {
    /// The id of a published identity key, usable or not; `nil` without memory.
    package init?(naming key: [UInt8]) {
        guard let digest = try? BLAKE2b.hash(key.span, length: .bytes32) else { return nil }
        self.init(Array(digest.prefix(KeyID.length)))
    }
}
