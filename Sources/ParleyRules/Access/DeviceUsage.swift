import ParleyProtocol

/// What each device and each user has published and subscribed to lately, and under which names they have connected.
///
/// It goes by devices and not by connections, so that connecting anew gains nothing. A device has an entry from its
/// first sign-in until it ends, and a user as long as one of their devices has: what it holds is bounded by the devices
/// that there are, and never by what they send. A snapshot of the gateway's changes nothing in it.
struct DeviceUsage: Sendable {
    /// What a device has used, or a user with all their devices.
    private struct Usage {
        var publishes = Consumption()
        var publishedBytes = Consumption()
        var subscribes = Consumption()
        var unsubscribes = Consumption()
        /// What the broker has not given back of subscriptions to the same filters.
        var repeatedBytes = Consumption()
        /// What they sent that the plugin is not shown.
        var unseenBytes = Consumption()
        /// What had come of packets when their connections ended.
        var partBytes = Consumption()
    }

    private struct Device {
        var usage = Usage()
        /// What was refused for its rate.
        var refusals = Consumption()
        /// When each name of a further connection was last in use.
        var names: [String: Int64] = [:]
        /// Until then it may not connect again.
        var suspendedUntil = Int64.min
    }

    private struct User {
        var usage = Usage()
        var devices = 0
    }

    private static let second: Int64 = 1_000_000_000
    private static let day: Int64 = 86_400 * second
    /// How many refusals in a row are tolerated before the device is disconnected; at a slow rate they may go on for
    /// ever.
    private static let borneRefusals = 100
    private static let borneRefusalsPerSecond = 10
    /// Some 2,000 filters of usual length at once, and 260 KB a day; a user has twice that.
    private static let repeatedBurst = 200_000
    private static let repeatedPerSecond = 3
    private static let unsubscribeBurst = 256
    /// What is honest is a PINGREQ now and then. At worst it is 64,000 of them at once, each as dear to the broker as
    /// any packet, and 2,000 a second. A user has twice that.
    private static let unseenBurst = 128 * 1024
    private static let unseenPerSecond = 4 * 1024
    /// A packet of the largest size that breaks off, and 8 KiB a second of such. A user has twice that. Whoever goes
    /// beyond it waits until it has come back, no longer than the largest packet takes.
    private static let partBurst = UnseenBytes.largestPacket
    private static let partPerSecond = 8 * 1024
    /// What the broker loses beside the filter itself.
    private static let repeatedOverhead = 32
    private static let bytesOfRefusal = 16 * 1024
    /// For so long a device that was disconnected is turned away: that must not be cheaper than to wait.
    private static let suspension = 5 * second

    private var devices: [DeviceAddress: Device] = [:]
    private var users: [UserID: User] = [:]

    /// How many devices have entries.
    var count: Int { devices.count }

    // MARK: Connecting

    /// Why the device may not connect under this name; `nil` if it may.
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

    /// The device has signed in, or one of its connections has ended: its name is in use now.
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

    /// Counts a publish; whether it is within what device and user may. What is not is not counted.
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

    /// Counts a filter that its session has subscribed to before, likewise.
    mutating func subscribeAgain(_ address: DeviceAddress, bytes: Int, uptime: Int64) -> Bool {
        let bytes = bytes + DeviceUsage.repeatedOverhead
        return count(
            bytes, of: \.repeatedBytes, address, DeviceUsage.repeatedBurst, DeviceUsage.repeatedPerSecond, uptime)
    }

    /// Counts a filter that is given up. What comes with it is shown to no plugin and may cost the broker milliseconds,
    /// so fewer come at once than of those that are subscribed to.
    mutating func unsubscribe(_ address: DeviceAddress, limits: BrokerLimits, uptime: Int64) -> Bool {
        let burst = min(limits.subscribeBurst, DeviceUsage.unsubscribeBurst)
        return count(1, of: \.unsubscribes, address, burst, limits.subscribesPerSecond, uptime)
    }

    /// Counts bytes that come with a publish, likewise.
    mutating func publishProperties(_ address: DeviceAddress, bytes: Int, limits: BrokerLimits, uptime: Int64) -> Bool {
        count(bytes, of: \.publishedBytes, address, limits.publishBurstBytes, limits.publishBytesPerSecond, uptime)
    }

    /// Counts an amount for the device and for its user, who may use twice as much; not where either has no room for
    /// it.
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

    /// Counts what the broker has read of a device and the plugin was not shown; whether it is within what device and
    /// user may. It was read already, and counts in any case.
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

    /// Counts what had come of a packet when its connection ended. It spends nothing of what is unseen, so that the
    /// packet passes when it is sent again; who has too much of it is turned away for as long as it takes to come back.
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

    /// Whether device and user have half of what they may send unseen at once.
    func hasUnseenToSpare(_ address: DeviceAddress, uptime: Int64) -> Bool {
        guard let device = devices[address], let user = users[address.user] else { return true }
        let (burst, rate) = (DeviceUsage.unseenBurst, DeviceUsage.unseenPerSecond)
        return device.usage.unseenBytes.hasRoom(for: burst / 2, burst: burst, perSecond: rate, uptime: uptime)
            && user.usage.unseenBytes.hasRoom(for: burst, burst: burst * 2, perSecond: rate * 2, uptime: uptime)
    }

    /// Counts a refusal for its rate.
    ///
    /// - Returns: whether there were so many that the device is to be disconnected.
    ///
    /// - Parameter bytes: what was refused, which the broker had to read: much of it counts as several refusals.
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

    /// Removes the devices that do not exist any more.
    mutating func retain(where isThere: (DeviceAddress) -> Bool) {
        for address in devices.keys where !isThere(address) { forget(address) }
    }
}
