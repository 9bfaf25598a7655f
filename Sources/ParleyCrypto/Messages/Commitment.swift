import Sodium

/// The digest of a message, sealed together with its `encrypted_key`.
///
/// Every recipient of a content key could seal other content with it. The commitment is sealed under the pairwise key,
/// which they do not have.
enum Commitment {
    static let length = 32

    /// BLAKE2b-256 over header ‖ nonce ‖ `encrypted_content`.
    static func make(header: [UInt8], nonce: [UInt8], content: [UInt8]) throws(SodiumError) -> [UInt8] {
        var hash = try BLAKE2b(length: .bytes32)
        try hash.update(header.span)
        try hash.update(nonce.span)
        try hash.update(content.span)
        return try hash.finish()
    }
}
