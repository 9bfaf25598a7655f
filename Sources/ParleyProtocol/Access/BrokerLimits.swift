/// The plugin's limits for a device, a user, and all devices together. They are settings of the gateway, which sends
/// them with every snapshot.
///
/// A user's limit is twice a device's where no other is named.
package struct BrokerLimits: Hashable, Sendable {
    /// Open connections of all devices together.
    package var connections = 10_000
    package var connectionsPerDevice = 8
    package var connectionsPerUser = 32
    /// Different names of further connections (`x` of `uid:did:x`) that a device uses within 24 hours.
    package var connectionNamesPerDay = 8
    /// Publishes of a device in one burst.
    package var publishBurst = 2_000
    package var publishesPerSecond = 500
    /// Bytes that a device publishes in one burst, topics and properties included where they are known.
    package var publishBurstBytes = 16 << 20
    package var publishBytesPerSecond = 4 << 20
    /// Filters that a device subscribes to in one burst.
    package var subscribeBurst = 4_000
    package var subscribesPerSecond = 5
    /// The queue of the broker for one offline device, in bytes.
    package var awayBytesPerDevice = 4 << 20
    /// The queues of the broker for all offline devices, in bytes.
    package var awayBytes = 64 << 20
    /// The broker's memory, in bytes, above which the connections that hold the most of it are ended.
    package var memoryBytes = 256 << 20

    package init() {}
}

extension BrokerLimits {
    typealias Field = any WritableKeyPath<BrokerLimits, Int> & Sendable

    /// Every limit, in the order of the binary form.
    static let fields: [Field] = [
        \.connections, \.connectionsPerDevice, \.connectionsPerUser, \.connectionNamesPerDay, \.publishBurst,
        \.publishesPerSecond, \.publishBurstBytes, \.publishBytesPerSecond, \.subscribeBurst, \.subscribesPerSecond,
        \.awayBytesPerDevice, \.awayBytes, \.memoryBytes,
    ]

    /// The highest value of a limit, so that sums and products of a few do not overflow.
    package static let greatest = 1 << 48
}
