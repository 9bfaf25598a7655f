import ParleyProtocol

extension Settings {
    /// The settings of the broker's plugin.
    static let brokerEntries: [Entry] = [
        Entry(
            "connections", .number(1...1_000_000, \.broker.connections),
            "Connections of devices to the broker at once, of everybody together."),
        Entry(
            "connections_per_device", .number(1...100_000, \.broker.connectionsPerDevice),
            "Connections of one device at once."),
        Entry(
            "connections_per_user", .number(1...100_000, \.broker.connectionsPerUser),
            "Connections of all devices of one user at once."),
        Entry(
            "connection_names_per_day", .number(1...1000, \.broker.connectionNamesPerDay),
            "Different `x` of `uid:did:x` that one device uses in 24 hours."),
        Entry(
            "publish_burst", .number(1...10_000_000, \.broker.publishBurst),
            "Publishes at once of one device; a user has twice that. Beyond it the broker refuses them."),
        Entry(
            "publishes_per_second", .number(1...1_000_000, \.broker.publishesPerSecond),
            "Publishes a second of one device; a user has twice that."),
        Entry(
            "publish_burst_bytes", .number((1 << 20)...(1 << 40), \.broker.publishBurstBytes),
            "Bytes that one device publishes at once; a user has twice that."),
        Entry(
            "publish_bytes_per_second", .number(1024...(1 << 40), \.broker.publishBytesPerSecond),
            "Bytes a second that one device publishes; a user has twice that."),
        Entry(
            "subscribe_burst", .number(1...10_000_000, \.broker.subscribeBurst),
            "Filters that one device subscribes to at once; a user has twice that."),
        Entry(
            "subscribes_per_second", .number(1...1_000_000, \.broker.subscribesPerSecond),
            "Filters a second that one device subscribes to; a user has twice that."),
        Entry(
            "away_bytes_per_device", .number(0...(1 << 40), \.broker.awayBytesPerDevice),
            "Bytes that the broker keeps for one device that is away; a user has twice that."),
        Entry(
            "away_bytes", .number(0...(1 << 40), \.broker.awayBytes),
            "Bytes that the broker keeps for all devices that are away."),
        Entry(
            "broker_memory_bytes", .number((32 << 20)...(1 << 40), \.broker.memoryBytes),
            "The broker's memory beyond which those end who have left most unread, there or away."),
    ]
}
