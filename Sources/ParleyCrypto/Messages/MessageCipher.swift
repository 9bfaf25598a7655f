import ParleyProtocol
import Sodium

/// Seals and opens the messages of one device, by the suites of protocol §6.
///
/// It keeps what was computed for a peer (a warm session), up to a bound, so that the next message to or from it costs
/// no public-key operation. One actor owns it. After a rotation of keys make a new one.
package struct MessageCipher: Sendable {
    /// As many keys of each kind are kept as a busy device talks to others.
    package static let sessionCapacity = 1024

    package let device: DeviceAddress
    let keys: [IdentityKeyPair]
    let backend: Backend
    let random: @Sendable (Int) throws(SodiumError) -> [UInt8]
    var sessions: Sessions
    var headers = HeaderBytes()

    /// - Parameters:
    ///   - current: what this device has published, and seals with.
    ///   - retired: what it had published before, newest first: opens old messages.
    ///   - random: where nonces and content keys come from, by their count.
    package init(
        device: DeviceAddress, current: IdentityKeyPair, retired: [IdentityKeyPair] = [],
        backend: Backend = .preferred, sessionCapacity: Int = MessageCipher.sessionCapacity,
        random: @escaping @Sendable (Int) throws(SodiumError) -> [UInt8] = RandomBytes.make(count:)
    ) {
        self.device = device
        keys = [current] + retired
        self.backend = backend
        self.random = random
        sessions = Sessions(keys: keys, backend: backend, capacity: sessionCapacity)
    }

    /// The key by which others know this device.
    package var identityKey: IdentityKey { keys[0].publicKey }
}
