import ParleyProtocol

/// When devices were last seen, kept to within some minutes, so that not every request writes a row.
///
/// A value. It holds the devices that have asked for something lately.
package struct DeviceActivity: Sendable {
    /// What is written or is to be of each device, in two generations: those of the older one are all past `precision`
    /// when it is dropped.
    private var young: [DeviceAddress: Timestamp] = [:]
    private var old: [DeviceAddress: Timestamp] = [:]
    private var youngSince: Timestamp?
    private var unwritten: [DeviceAddress: Timestamp] = [:]
    /// Since when there has been something to write.
    private var waitsSince: Timestamp?

    /// A device that is seen again within this is not written again.
    package static let precision = Duration.seconds(300)
    /// What is to be written waits for a transaction no longer than this.
    package static let patience = Duration.seconds(60)

    package init() {}

    /// How many devices it holds.
    package var count: Int { young.count + old.count }

    /// A device has asked for something.
    package mutating func record(_ device: DeviceAddress, now: Timestamp) {
        if let last = young[device] ?? old[device], now.isWithin(DeviceActivity.precision, of: last) { return }
        if !(youngSince.map { now.isWithin(DeviceActivity.precision, of: $0) } ?? false) {
            (old, young, youngSince) = (young, [:], now)
        }
        young[device] = now
        unwritten[device] = now
        waitsSince = waitsSince ?? now
    }

    /// What is to be written, no more than `limit`.
    package func due(limit: Int) -> [(device: DeviceAddress, seenAt: Timestamp)] {
        unwritten.prefix(limit).map { ($0.key, $0.value) }
    }

    /// These are on disk.
    package mutating func recordWritten(_ devices: some Sequence<DeviceAddress>) {
        for device in devices { unwritten[device] = nil }
        if unwritten.isEmpty { waitsSince = nil }
    }

    /// Nothing could be written: it is tried again as late as if it had come now.
    package mutating func recordFailure(now: Timestamp) { if waitsSince != nil { waitsSince = now } }

    /// A device has ended: whoever gets its name was never seen.
    package mutating func forget(_ device: DeviceAddress) {
        (young[device], old[device]) = (nil, nil)
        recordWritten([device])
    }

    /// How long until something has waited for a transaction for too long; `nil` while nothing waits.
    package func wait(now: Timestamp) -> Duration? {
        guard let waitsSince else { return nil }
        // Where the clock was set back it is not waited for longer.
        guard now.isWithin(DeviceActivity.patience, of: waitsSince) else { return .zero }
        return min(DeviceActivity.patience, DeviceActivity.patience - waitsSince.duration(to: now))
    }
}

extension Timestamp {
    /// Whether the two are less than so long apart.
    fileprivate func isWithin(_ span: Duration, of other: Timestamp) -> Bool {
        let distance = duration(to: other)
        return .zero - span < distance && distance < span
    }
}
