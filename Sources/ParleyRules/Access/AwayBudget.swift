import ParleyProtocol

/// The bytes that the broker keeps for absent devices: bounded for each device, for each user and in total.
///
/// The broker asks for each message, and drops refused ones, which the device gets from history. Has an entry for each
/// absent device at most; begins anew with the broker.
struct AwayBudget: Sendable {
    private var bytes: [DeviceAddress: Int] = [:]
    private var users: [UserID: Int] = [:]
    private(set) var total = 0

    /// Counts a message if there is room for it.
    mutating func reserve(_ length: Int, for device: DeviceAddress, limits: BrokerLimits) -> Bool {
        guard kept(for: device) + length <= limits.awayBytesPerDevice,
            (users[device.user] ?? 0) + length <= limits.awayBytesPerDevice * 2, total + length <= limits.awayBytes
        else { return false }
        add(length, for: device)
        return true
    }

    /// The device has gone with unread bytes, which count within its share and its user's.
    mutating func begin(_ device: DeviceAddress, unread: Int, limits: BrokerLimits) {
        forget(device)
        let room = limits.awayBytesPerDevice * 2 - (users[device.user] ?? 0)
        add(max(0, min(unread, limits.awayBytesPerDevice, room)), for: device)
    }

    /// The device has come back, or has ended.
    mutating func forget(_ device: DeviceAddress) {
        if let kept = bytes[device] { add(-kept, for: device) }
    }

    mutating func retain(where isThere: (DeviceAddress) -> Bool) {
        for device in bytes.keys where !isThere(device) { forget(device) }
    }

    func kept(for device: DeviceAddress) -> Int { bytes[device] ?? 0 }

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
