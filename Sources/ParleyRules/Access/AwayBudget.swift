import ParleyProtocol

/// What the broker keeps for devices that are away: bounded for each, and together.
///
/// The broker asks of each message whether it may keep it, and what is refused it forgets. A device that comes back gets what
/// was kept, and the rest from history. Bounded by the devices that there are; begins anew with the broker.
struct AwayBudget: Sendable {
    private var bytes: [DeviceAddress: Int] = [:]
    private(set) var total = 0

    /// Counts a message that is to be kept; whether there is room for it.
    mutating func reserve(_ length: Int, for device: DeviceAddress, limits: BrokerLimits) -> Bool {
        let kept = bytes[device] ?? 0
        guard kept + length <= limits.awayBytesPerDevice, total + length <= limits.awayBytes else { return false }
        bytes[device] = kept + length
        total += length
        return true
    }

    /// The device has come back, or ended: nothing is kept for it any more, or only as long as it takes to hand it over.
    mutating func forget(_ device: DeviceAddress) {
        if let kept = bytes.removeValue(forKey: device) { total -= kept }
    }

    /// Removes the devices that do not exist any more.
    mutating func retain(where isThere: (DeviceAddress) -> Bool) {
        for device in bytes.keys where !isThere(device) { forget(device) }
    }
}
