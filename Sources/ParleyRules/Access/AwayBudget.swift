import ParleyProtocol

/// What the broker keeps for devices that are away: bounded for each, for each user and together.
///
/// The broker asks of each message whether it may keep it, and what is refused it forgets. A device that comes back
/// gets what was kept, and the rest from history. Bounded by the devices that there are; begins anew with the broker.
struct AwayBudget: Sendable {
    private var bytes: [DeviceAddress: Int] = [:]
    private var users: [UserID: Int] = [:]
    private(set) var total = 0

    /// Counts a message that is to be kept; whether there is room for it.
    mutating func reserve(_ length: Int, for device: DeviceAddress, limits: BrokerLimits) -> Bool {
        guard kept(for: device) + length <= limits.awayBytesPerDevice,
            (users[device.user] ?? 0) + length <= limits.awayBytesPerDevice * 2, total + length <= limits.awayBytes
        else { return false }
        add(length, for: device)
        return true
    }

    /// The device has gone and left so much unread: that is part of its share and its user's, and no more than that.
    mutating func begin(_ device: DeviceAddress, unread: Int, limits: BrokerLimits) {
        forget(device)
        let room = limits.awayBytesPerDevice * 2 - (users[device.user] ?? 0)
        add(max(0, min(unread, limits.awayBytesPerDevice, room)), for: device)
    }

    /// The device has come back, and the broker counts to it what it has kept; or it has ended.
    mutating func forget(_ device: DeviceAddress) {
        if let kept = bytes[device] { add(-kept, for: device) }
    }

    /// Removes the devices that do not exist any more.
    mutating func retain(where isThere: (DeviceAddress) -> Bool) {
        for device in bytes.keys where !isThere(device) { forget(device) }
    }

    func kept(for device: DeviceAddress) -> Int { bytes[device] ?? 0 }

    /// The devices for which so much is kept.
    func devices(atLeast length: Int) -> [(device: DeviceAddress, bytes: Int)] {
        bytes.filter { $0.value >= length }.map { ($0.key, $0.value) }
    }

    private mutating func add(_ length: Int, for device: DeviceAddress) {
        let (own, users) = (kept(for: device) + length, (users[device.user] ?? 0) + length)
        bytes[device] = own > 0 ? own : nil
        self.users[device.user] = users > 0 ? users : nil
        total += length
    }
}
