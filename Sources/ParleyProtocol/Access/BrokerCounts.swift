/// The counters of the broker's plugin since the broker's start, as it reports them to the gateway.
package struct BrokerCounts: Hashable, Sendable {
    /// Sign-ins that were refused as `Not authorized`.
    package var refusedSignIns = 0
    /// Sign-ins that a limit closed without a verdict.
    package var turnedAway = 0
    /// Sign-ins that were closed without a verdict, before the gateway's first snapshot.
    package var notReady = 0
    /// Publishes and filters refused because their device was over its limits.
    package var overLimit = 0
    /// Connections ended because their device went on in spite of refusals.
    package var disconnected = 0
    /// Events dropped for an offline device, because its queue was full.
    package var notKept = 0
    /// Connections ended because the broker held too much for slow readers.
    package var slowReadersEnded = 0
    /// Sessions of offline devices removed because the broker held too much.
    package var sessionsRemoved = 0
    /// Connections ended because the data stored for them had to be dropped.
    package var madeAnew = 0
    /// Connections ended because the gateway changed the device's rights.
    package var accessEnded = 0
    /// Connections ended because their token expired.
    package var tokensExpired = 0

    package init() {}

    /// The plugin publishes here for the gateway's `intake` connection alone; no client may.
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
