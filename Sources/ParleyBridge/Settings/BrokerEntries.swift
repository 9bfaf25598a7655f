import ParleyProtocol

extension Settings {
    /// The settings that the broker's plugin goes by.
    static let brokerEntries: [Entry] = [
        Entry(
            name: "connections", range: 1...1_000_000,
            meaning: "Connections of devices to the broker at once, of everybody together.",
            keyPath: \.broker.connections),
        Entry(
            name: "connections_per_device", range: 1...100_000,
            meaning: "Connections of one device at once.", keyPath: \.broker.connectionsPerDevice),
        Entry(
            name: "connections_per_user", range: 1...100_000,
            meaning: "Connections of all devices of one user at once.", keyPath: \.broker.connectionsPerUser),
        Entry(
            name: "connection_names_per_day", range: 1...1000,
            meaning: "Different `x` of `uid:did:x` that one device uses in 24 hours.",
            keyPath: \.broker.connectionNamesPerDay),
        Entry(
            name: "publish_burst", range: 1...10_000_000,
            meaning: "Publishes at once of one device; a user has twice that. Beyond it the broker refuses them.",
            keyPath: \.broker.publishBurst),
        Entry(
            name: "publishes_per_second", range: 1...1_000_000,
            meaning: "Publishes a second of one device; a user has twice that.", keyPath: \.broker.publishesPerSecond),
        Entry(
            name: "publish_burst_bytes", range: (1 << 20)...(1 << 40),
            meaning: "Bytes that one device publishes at once; a user has twice that.",
            keyPath: \.broker.publishBurstBytes),
        Entry(
            name: "publish_bytes_per_second", range: 1024...(1 << 40),
            meaning: "Bytes a second that one device publishes; a user has twice that.",
            keyPath: \.broker.publishBytesPerSecond),
        Entry(
            name: "subscribe_burst", range: 1...10_000_000,
            meaning: "Filters that one device subscribes to at once; a user has twice that.",
            keyPath: \.broker.subscribeBurst),
        Entry(
            name: "subscribes_per_second", range: 1...1_000_000,
            meaning: "Filters a second that one device subscribes to; a user has twice that.",
            keyPath: \.broker.subscribesPerSecond),
        Entry(
            name: "away_bytes_per_device", range: 0...(1 << 40),
            meaning: "Bytes that the broker keeps for one device that is away; a user has twice that.",
            keyPath: \.broker.awayBytesPerDevice),
        Entry(
            name: "away_bytes", range: 0...(1 << 40),
            meaning: "Bytes that the broker keeps for all devices that are away.", keyPath: \.broker.awayBytes),
        Entry(
            name: "broker_memory_bytes", range: (32 << 20)...(1 << 40),
            meaning: "The broker's memory beyond which those end who have left most unread, there or away.",
            keyPath: \.broker.memoryBytes),
    ]
}
