import Sodium

/// The library that does X25519, HKDF-SHA256 and AES-256-GCM. Each gives the same bytes and refuses the same keys.
package enum Backend: Sendable, CaseIterable {
    /// The faster one. Its AES needs a processor with AES instructions.
    case libsodium
    /// BoringSSL by swift-crypto, on every processor.
    case swiftCrypto

    /// The one for this machine.
    package static let preferred: Backend = AES256GCM.isAvailable ? .libsodium : .swiftCrypto
}
