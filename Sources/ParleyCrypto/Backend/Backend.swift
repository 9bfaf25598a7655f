import Sodium

/// The library that does AES-256-GCM. Each gives the same bytes and refuses the same.
package enum Backend: Sendable, CaseIterable {
    /// The faster one, for processors with AES instructions.
    case libsodium
    /// For every processor.
    case openSSL

    /// The one for this machine.
    package static let preferred: Backend = AES256GCM.isAvailable ? .libsodium : .openSSL
}
