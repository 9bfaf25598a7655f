/// What the broker's plugin allows a device, a user, and all of them together. The values are settings of the gateway,
/// which sends them to the plugin with every snapshot.
///
/// A user has twice what a device has where nothing else is named.
package struct BrokerLimits: Hashable, Sendable {
    /// Open connections of all devices together.
    package var connections = 10_000
    package var connectionsPerDevice = 8
    package var connectionsPerUser = 32
    /// Different names of further connections (`x` of `uid:did:x`) that a device uses within 24 hours.
    package var connectionNamesPerDay = 8
    /// Publishes of a device at once.
    package var publishBurst = 2_000
    package var publishesPerSecond = 500
    /// What a device publishes at once, topics and properties included where they are known, in bytes.
    package var publishBurstBytes = 16 << 20
    package var publishBytesPerSecond = 4 << 20
    /// Filters that a device subscribes to at once.
    package var subscribeBurst = 4_000
    package var subscribesPerSecond = 5
    /// What the broker queues for a device that is away, in bytes.
    package var awayBytesPerDevice = 4 << 20
    /// What the broker queues for all devices that are away, in bytes.
    package var awayBytes = 64 << 20
    /// The broker's memory beyond which the connections are ended that were sent most, in bytes.
    package var memoryBytes = 256 << 20

    package init() {}
}

extension BrokerLimits {
    typealias Field = any WritableKeyPath<BrokerLimits, Int> & Sendable

    /// Every limit, in the order in which they lie in a message.
    static let fields: [Field] = [
        \.connections, \.connectionsPerDevice, \.connectionsPerUser, \.connectionNamesPerDay, \.publishBurst,
        \.publishesPerSecond, \.publishBurstBytes, \.publishBytesPerSecond, \.subscribeBurst, \.subscribesPerSecond,
        \.awayBytesPerDevice, \.awayBytes, \.memoryBytes,
    ]

    /// No limit is above this: sums and products of a few of them do not overflow.
    package static let greatest = 1 << 48
}
