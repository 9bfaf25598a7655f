import Logging
import ParleyProtocol
import ParleyRules
import ParleyStore

/// Stores when devices were last seen, with other writes, or by itself after a longer wait.
final class LastSeenDuty: Duty {
    typealias Wake = Never
    static let failure: Logger.Message = "when devices were last seen could not be stored"
    static let goesWithBatches = true
    static let sharedWork: SharedWork? = nil
    static let publishes = false
    private var activity = DeviceActivity()

    /// The most devices in one transaction.
    private static let atOnce = 128

    /// A device has sent a request.
    func record(_ device: DeviceAddress, now: Timestamp) { activity.record(device, now: now) }

    /// A device has ended: the next of its name was never seen.
    func forget(_ device: DeviceAddress) { activity.forget(device) }

    func wait(at moment: Moment) -> Duration? { activity.wait(now: moment.now) }

    func run(afterRequestsOf batch: Batch) throws(StoreError) -> [DeviceAddress]? {
        let stored = try run(in: batch)
        return stored.isEmpty ? nil : stored
    }

    /// - Returns: the devices that were stored.
    func run(in batch: Batch) throws(StoreError) -> [DeviceAddress] {
        // A device that takes the name of one that has ended in this transaction was never seen.
        let ended = batch.afterCommit.endedDevices
        let due = activity.due(limit: Self.atOnce).filter { !ended.contains($0.device) }
        if !due.isEmpty { try batch.writable().devices.setLastSeen(due) }
        return due.map(\.device)
    }

    func recordCommitted(_ stored: [DeviceAddress], at moment: Moment) { activity.recordWritten(stored) }

    func recordFailure(at moment: Moment) { activity.recordFailure(now: moment.now) }
}
