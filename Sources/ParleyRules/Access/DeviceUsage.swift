import ParleyProtocol

/// The recent publishes, subscriptions and connection names of each device and user.
///
/// It goes by devices and not by connections, so that a new connection gains nothing. A device has an entry from its
/// first sign-in until it ends, and a user while one of their devices has: bounded by the number of devices. A snapshot
/// changes nothing.
struct DeviceUsage: Sendable {
    /// Of a device, or of a user with all devices.
    private struct Usage {
        var publishes = Consumption()
        var publishedBytes = Consumption()
        var subscribes = Consumption()
        var unsubscribes = Consumption()
        /// The broker's memory of repeated filters.
        var repeatedBytes = Consumption()
        /// See `UnseenBytes`.
        var unseenBytes = Consumption()
        /// Of partial packets at the end of connections.
        var partBytes = Consumption()
    }

    private struct Device {
        var usage = Usage()
        /// For its rate.
        var refusals = Consumption()
        /// The last use of each name of a further connection.
        var names: [String: Int64] = [:]
        /// It may not connect until then.
        var suspendedUntil = Int64.min
    }

    private struct User {
        var usage = Usage()
        var devices = 0
    }

    private static let second: Int64 = 1_000_000_000
    private static let day: Int64 = 86_400 * second
    /// The refusals that are tolerated before the device is disconnected; at a slow rate they may go on for ever.
    private static let borneRefusals = 100
    private static let borneRefusalsPerSecond = 10
    /// Some 2,000 filters of usual length at once, and 260 KB a day; a user has twice that.
    private static let repeatedBurst = 200_000
    private static let repeatedPerSecond = 3
    private static let unsubscribeBurst = 256
    /// Honest clients send a PINGREQ now and then. The limits allow 64,000 at once and 2,000 a second, each as
    /// expensive as any packet. A user has twice that.
    private static let unseenBurst = 128 * 1024
    private static let unseenPerSecond = 4 * 1024
    /// One largest partial packet, and 8 KiB a second. A user has twice that. Beyond it a device waits until it has
    /// drained, no longer than for the largest packet.
    private static let partBurst = UnseenBytes.largestPacket
    private static let partPerSecond = 8 * 1024
    /// The broker's cost of a repeated filter beside its bytes.
    private static let repeatedOverhead = 32
    private static let bytesOfRefusal = 16 * 1024
    /// How long a disconnected device is turned away, so that this is no cheaper than to wait.
    private static let suspension = 5 * second

    private var devices: [DeviceAddress: Device] = [:]
    private var users: [UserID: User] = [:]

    var count: Int { devices.count }

    // MARK: Connecting

    mutating func turnAway(_ id: ClientID, names inUse: [String], limits: BrokerLimits, uptime: Int64) -> TurnAway? {
        guard devices[id.address] != nil else { return nil }
        if let device = devices[id.address], uptime < device.suspendedUntil { return .suspended }
        guard let name = id.connection else { return nil }
        for used in inUse { devices[id.address]?.names[used] = uptime }
        guard let names = devices[id.address]?.names, names[name] == nil, names.count >= limits.connectionNamesPerDay
        else { return nil }
        let lately = names.filter { uptime - $0.value < DeviceUsage.day }
        devices[id.address]?.names = lately
        return lately.count >= limits.connectionNamesPerDay ? .names : nil
    }

    mutating func recordConnection(_ id: ClientID, uptime: Int64) {
        if devices[id.address] == nil {
            devices[id.address] = Device()
            users[id.address.user, default: User()].devices += 1
        }
        if let name = id.connection { devices[id.address]?.names[name] = uptime }
    }

    mutating func recordEnd(_ id: ClientID, uptime: Int64) {
        if let name = id.connection, devices[id.address] != nil { devices[id.address]?.names[name] = uptime }
    }

    mutating func suspend(_ address: DeviceAddress, for time: Int64 = suspension, uptime: Int64) {
        guard let device = devices[address] else { return }
        devices[address]?.suspendedUntil = max(device.suspendedUntil, uptime + time)
    }

    // MARK: Publishing and subscribing

    /// Counts a publish, and returns whether it is within the limits of device and user. Others are not counted.
    mutating func publish(_ address: DeviceAddress, bytes: Int, limits: BrokerLimits, uptime: Int64) -> Bool {
        guard var device = devices[address], var user = users[address.user] else { return true }
        guard
            device.usage.publishes.hasRoom(
                for: 1, burst: limits.publishBurst, perSecond: limits.publishesPerSecond, uptime: uptime),
            device.usage.publishedBytes.hasRoom(
                for: bytes, burst: limits.publishBurstBytes, perSecond: limits.publishBytesPerSecond, uptime: uptime),
            user.usage.publishes.hasRoom(
                for: 1, burst: limits.publishBurst * 2, perSecond: limits.publishesPerSecond * 2, uptime: uptime),
            user.usage.publishedBytes.hasRoom(
                for: bytes, burst: limits.publishBurstBytes * 2, perSecond: limits.publishBytesPerSecond * 2,
                uptime: uptime)
        else { return false }
        device.usage.publishes.add(1, perSecond: limits.publishesPerSecond, uptime: uptime)
        device.usage.publishedBytes.add(bytes, perSecond: limits.publishBytesPerSecond, uptime: uptime)
        user.usage.publishes.add(1, perSecond: limits.publishesPerSecond * 2, uptime: uptime)
        user.usage.publishedBytes.add(bytes, perSecond: limits.publishBytesPerSecond * 2, uptime: uptime)
        devices[address] = device
        users[address.user] = user
        return true
    }

    /// Counts a filter likewise.
    mutating func subscribe(_ address: DeviceAddress, limits: BrokerLimits, uptime: Int64) -> Bool {
        count(1, of: \.subscribes, address, limits.subscribeBurst, limits.subscribesPerSecond, uptime)
    }

    /// Counts a repeated filter likewise.
    mutating func subscribeAgain(_ address: DeviceAddress, bytes: Int, uptime: Int64) -> Bool {
        let bytes = bytes + DeviceUsage.repeatedOverhead
        return count(
            bytes, of: \.repeatedBytes, address, DeviceUsage.repeatedBurst, DeviceUsage.repeatedPerSecond, uptime)
    }

    /// Counts a filter of UNSUBSCRIBE likewise. Its properties, which no plugin is shown, may cost the broker
    /// milliseconds, so that fewer are allowed at once.
    mutating func unsubscribe(_ address: DeviceAddress, limits: BrokerLimits, uptime: Int64) -> Bool {
        let burst = min(limits.subscribeBurst, DeviceUsage.unsubscribeBurst)
        return count(1, of: \.unsubscribes, address, burst, limits.subscribesPerSecond, uptime)
    }

    /// Counts the properties of a publish likewise.
    mutating func publishProperties(_ address: DeviceAddress, bytes: Int, limits: BrokerLimits, uptime: Int64) -> Bool {
        count(bytes, of: \.publishedBytes, address, limits.publishBurstBytes, limits.publishBytesPerSecond, uptime)
    }

    /// Counts an amount for the device and for its user, who has twice the limits, if both have room for it.
    private mutating func count(
        _ amount: Int, of kind: WritableKeyPath<Usage, Consumption>, _ address: DeviceAddress, _ burst: Int,
        _ rate: Int, _ uptime: Int64
    ) -> Bool {
        guard let device = devices[address], let user = users[address.user] else { return true }
        guard device.usage[keyPath: kind].hasRoom(for: amount, burst: burst, perSecond: rate, uptime: uptime),
            user.usage[keyPath: kind].hasRoom(for: amount, burst: burst * 2, perSecond: rate * 2, uptime: uptime)
        else { return false }
        devices[address]?.usage[keyPath: kind].add(amount, perSecond: rate, uptime: uptime)
        users[address.user]?.usage[keyPath: kind].add(amount, perSecond: rate * 2, uptime: uptime)
        return true
    }

    /// Counts unseen bytes, which were read already, and returns whether they are within the limits of device and user.
    mutating func receiveUnseen(_ address: DeviceAddress, bytes: Int, uptime: Int64) -> Bool {
        guard let device = devices[address], let user = users[address.user] else { return true }
        let (burst, rate) = (DeviceUsage.unseenBurst, DeviceUsage.unseenPerSecond)
        let isWithin =
            device.usage.unseenBytes.hasRoom(for: bytes, burst: burst, perSecond: rate, uptime: uptime)
            && user.usage.unseenBytes.hasRoom(for: bytes, burst: burst * 2, perSecond: rate * 2, uptime: uptime)
        devices[address]?.usage.unseenBytes.fill(bytes, burst: burst, perSecond: rate, uptime: uptime)
        users[address.user]?.usage.unseenBytes.fill(bytes, burst: burst * 2, perSecond: rate * 2, uptime: uptime)
        return isWithin
    }

    /// Counts a partial packet at the end of its connection. It does not count as unseen, so that the packet passes
    /// when it is sent again; beyond the limit the device is turned away until the excess has drained.
    mutating func receivePart(_ address: DeviceAddress, bytes: Int, uptime: Int64) {
        guard let device = devices[address], let user = users[address.user] else { return }
        let (burst, rate) = (DeviceUsage.partBurst, DeviceUsage.partPerSecond)
        let most = burst + UnseenBytes.largestPacket
        let (own, all) = (
            device.usage.partBytes.filled(by: bytes, burst: most, perSecond: rate, uptime: uptime),
            user.usage.partBytes.filled(by: bytes, burst: most * 2, perSecond: rate * 2, uptime: uptime)
        )
        devices[address]?.usage.partBytes = own
        users[address.user]?.usage.partBytes = all
        let excess = max(
            own.remaining(perSecond: rate, uptime: uptime) - Double(burst),
            (all.remaining(perSecond: rate * 2, uptime: uptime) - Double(burst * 2)) / 2)
        guard excess > 0 else { return }
        suspend(address, for: Int64(excess) * DeviceUsage.second / Int64(rate), uptime: uptime)
    }

    /// Whether device and user have half of their unseen burst left.
    func hasUnseenToSpare(_ address: DeviceAddress, uptime: Int64) -> Bool {
        guard let device = devices[address], let user = users[address.user] else { return true }
        let (burst, rate) = (DeviceUsage.unseenBurst, DeviceUsage.unseenPerSecond)
        return device.usage.unseenBytes.hasRoom(for: burst / 2, burst: burst, perSecond: rate, uptime: uptime)
            && user.usage.unseenBytes.hasRoom(for: burst, burst: burst * 2, perSecond: rate * 2, uptime: uptime)
    }

    /// - Parameter bytes: of the refused packet, which the broker had to read: a large one counts as several refusals.
    /// - Returns: whether the device must be disconnected.
    mutating func recordRefusal(_ address: DeviceAddress, bytes: Int, uptime: Int64) -> Bool {
        guard let device = devices[address] else { return false }
        let rate = DeviceUsage.borneRefusalsPerSecond
        let weight = 1 + max(0, bytes) / DeviceUsage.bytesOfRefusal
        guard
            device.refusals.hasRoom(for: weight, burst: DeviceUsage.borneRefusals, perSecond: rate, uptime: uptime)
        else { return true }
        devices[address]?.refusals.add(weight, perSecond: rate, uptime: uptime)
        return false
    }

    // MARK: Devices that end

    mutating func forget(_ address: DeviceAddress) {
        guard devices.removeValue(forKey: address) != nil, let count = users[address.user]?.devices else { return }
        if count > 1 { users[address.user]?.devices = count - 1 } else { users[address.user] = nil }
    }

    mutating func retain(where isThere: (DeviceAddress) -> Bool) {
        for address in devices.keys where !isThere(address) { forget(address) }
    }
}
