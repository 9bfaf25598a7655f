import ParleyProtocol

/// When devices were last seen, to within some minutes, so that not every request writes a row. Holds the devices of
/// recent requests.
package struct DeviceActivity: Sendable {
    /// The recorded time of each device, in two generations: those of the older one are all past `precision` when it is
    /// dropped.
    private var young: [DeviceAddress: Timestamp] = [:]
    private var old: [DeviceAddress: Timestamp] = [:]
    private var youngSince: Timestamp?
    private var unwritten: [DeviceAddress: Timestamp] = [:]
    /// Since when writes are pending.
    private var waitsSince: Timestamp?

    /// A device that is seen again within this is not written again.
    package static let precision = Duration.seconds(300)
    /// Pending writes wait for a transaction no longer than this.
    package static let patience = Duration.seconds(60)

    package init() {}

    package var count: Int { young.count + old.count }

    /// Records a request of a device.
    package mutating func record(_ device: DeviceAddress, now: Timestamp) {
        if let last = young[device] ?? old[device], now.isWithin(DeviceActivity.precision, of: last) { return }
        if !(youngSince.map { now.isWithin(DeviceActivity.precision, of: $0) } ?? false) {
            (old, young, youngSince) = (young, [:], now)
        }
        young[device] = now
        unwritten[device] = now
        waitsSince = waitsSince ?? now
    }

    /// The pending writes.
    package func due(limit: Int) -> [(device: DeviceAddress, seenAt: Timestamp)] {
        unwritten.prefix(limit).map { ($0.key, $0.value) }
    }

    package mutating func recordWritten(_ devices: some Sequence<DeviceAddress>) {
        for device in devices { unwritten[device] = nil }
        if unwritten.isEmpty { waitsSince = nil }
    }

    /// Pending writes wait as if they had come now.
    package mutating func recordFailure(now: Timestamp) { if waitsSince != nil { waitsSince = now } }

    /// Forgets a revoked device, so that a new one of its name was never seen.
    package mutating func forget(_ device: DeviceAddress) {
        (young[device], old[device]) = (nil, nil)
        recordWritten([device])
    }

    /// How long pending writes may still wait for a transaction; `nil` without any.
    package func wait(now: Timestamp) -> Duration? {
        guard let waitsSince else { return nil }
        // A clock that was set back prolongs nothing.
        guard now.isWithin(DeviceActivity.patience, of: waitsSince) else { return .zero }
        return min(DeviceActivity.patience, DeviceActivity.patience - waitsSince.duration(to: now))
    }
}

extension Timestamp {
    fileprivate func isWithin(_ span: Duration, of other: Timestamp) -> Bool {
        let distance = duration(to: other)
        return .zero - span < distance && distance < span
    }
}
