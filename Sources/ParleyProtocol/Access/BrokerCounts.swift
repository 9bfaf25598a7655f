/// What the broker's plugin has counted since the broker started, as it reports it to the gateway.
package struct BrokerCounts: Hashable, Sendable {
    /// Sign-ins that were answered `Not authorized`.
    package var refusedSignIns = 0
    /// Sign-ins that were closed without a verdict because of a limit.
    package var turnedAway = 0
    /// Sign-ins that were closed without a verdict because the gateway had not sent who may sign in.
    package var notReady = 0
    /// Publishes and filters that were refused because their device was over its limits.
    package var overLimit = 0
    /// Connections that were ended because their device went on all the same.
    package var disconnected = 0
    /// Events that were dropped for a device that is away, because its queue was full.
    package var notKept = 0
    /// Connections that were ended because the broker held too much for those who do not read.
    package var slowReadersEnded = 0
    /// Sessions of devices that are away which were removed because the broker held too much.
    package var sessionsRemoved = 0
    /// Connections that were ended because what was kept for them is not their own any more, or too much.
    package var madeAnew = 0
    /// Connections that were ended because the gateway has changed who may be signed in.
    package var accessEnded = 0
    /// Connections that were ended because their token was over.
    package var tokensExpired = 0

    package init() {}

    /// Where the plugin publishes it, for the gateway's `intake` connection alone. No client may publish to it.
    package static let topic = AudienceChange.topic + "/counts"

    private static let format: UInt8 = 3
    private typealias Field = any WritableKeyPath<BrokerCounts, Int> & Sendable
    private static let fields: [Field] = [
        \.refusedSignIns, \.turnedAway, \.notReady, \.overLimit, \.disconnected, \.notKept, \.slowReadersEnded,
        \.sessionsRemoved, \.madeAnew, \.accessEnded, \.tokensExpired,
    ]

    /// A format byte, then each number as 8 bytes, big-endian.
    package var message: [UInt8] {
        var writer = ByteWriter()
        writer.byte(BrokerCounts.format)
        for field in BrokerCounts.fields { writer.number(UInt64(clamping: self[keyPath: field]), bytes: 8) }
        return writer.bytes
    }

    /// `nil` for bytes that are no such message.
    package init?(message: [UInt8]) {
        var reader = ByteReader(message)
        guard reader.byte() == BrokerCounts.format else { return nil }
        for field in BrokerCounts.fields {
            guard let number = reader.number(bytes: 8), let value = Int(exactly: number) else { return nil }
            self[keyPath: field] = value
        }
        guard reader.isAtEnd else { return nil }
    }
}
