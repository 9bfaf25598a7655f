import ParleyProtocol

/// What each device and each user has published and subscribed to lately, and under which names they have connected.
///
/// It goes by devices and not by connections, so that connecting anew gains nothing. A device has an entry from its first
/// sign-in until it ends, and a user as long as one of their devices has: what it holds is bounded by the devices that
/// there are, and never by what they send. A snapshot of the gateway's changes nothing in it.
struct DeviceUsage: Sendable {
    private struct Device {
        var publishes = Consumption()
        var publishedBytes = Consumption()
        var subscribes = Consumption()
        /// What was refused for its rate.
        var refusals = Consumption()
        /// When each name of a further connection was last in use.
        var names: [String: Int64] = [:]
        /// Until then it does not come in again, having been taken off.
        var awayUntil = Int64.min
    }

    private struct User {
        var publishes = Consumption()
        var publishedBytes = Consumption()
        var subscribes = Consumption()
        var devices = 0
    }

    private static let second: Int64 = 1_000_000_000
    private static let day: Int64 = 86_400 * second
    /// How many refusals in a row are borne before the one is taken off the broker who goes on; at a slow rate one may go on
    /// for ever.
    private static let borneRefusals = 100
    private static let borneRefusalsPerSecond = 10
    private static let bytesOfRefusal = 16 * 1024
    /// For so long who was taken off is turned away: to be thrown out must not be cheaper than to wait.
    private static let timeOff = 5 * second

    private var devices: [DeviceAddress: Device] = [:]
    private var users: [UserID: User] = [:]

    /// How many devices have entries.
    var count: Int { devices.count }

    // MARK: Connecting

    /// Whether the device may connect under this name.
    mutating func refuses(_ id: ClientID, names inUse: [String], limits: BrokerLimits, uptime: Int64) -> TurnAway? {
        guard devices[id.address] != nil else { return nil }
        if let device = devices[id.address], uptime < device.awayUntil { return .takenOff }
        guard let name = id.connection else { return nil }
        for used in inUse { devices[id.address]?.names[used] = uptime }
        guard let names = devices[id.address]?.names, names[name] == nil, names.count >= limits.connectionNamesPerDay
        else { return nil }
        let lately = names.filter { uptime - $0.value < DeviceUsage.day }
        devices[id.address]?.names = lately
        return lately.count >= limits.connectionNamesPerDay ? .names : nil
    }

    /// The device has signed in, or one of its connections has ended: its name is in use now.
    mutating func connected(_ id: ClientID, uptime: Int64) {
        if devices[id.address] == nil {
            devices[id.address] = Device()
            users[id.address.user, default: User()].devices += 1
        }
        if let name = id.connection { devices[id.address]?.names[name] = uptime }
    }

    mutating func ended(_ id: ClientID, uptime: Int64) {
        if let name = id.connection, devices[id.address] != nil { devices[id.address]?.names[name] = uptime }
    }

    mutating func takenOff(_ address: DeviceAddress, uptime: Int64) {
        devices[address]?.awayUntil = uptime + DeviceUsage.timeOff
    }

    // MARK: Publishing and subscribing

    /// Counts a publish; whether it is within what device and user may. What is not is not counted.
    mutating func publish(_ address: DeviceAddress, bytes: Int, limits: BrokerLimits, uptime: Int64) -> Bool {
        guard var device = devices[address], var user = users[address.user] else { return true }
        guard
            device.publishes.hasRoom(
                for: 1, burst: limits.publishBurst, perSecond: limits.publishesPerSecond, uptime: uptime),
            device.publishedBytes.hasRoom(
                for: bytes, burst: limits.publishBurstBytes, perSecond: limits.publishBytesPerSecond, uptime: uptime),
            user.publishes.hasRoom(
                for: 1, burst: limits.publishBurst * 2, perSecond: limits.publishesPerSecond * 2, uptime: uptime),
            user.publishedBytes.hasRoom(
                for: bytes, burst: limits.publishBurstBytes * 2, perSecond: limits.publishBytesPerSecond * 2,
                uptime: uptime)
        else { return false }
        device.publishes.add(1, perSecond: limits.publishesPerSecond, uptime: uptime)
        device.publishedBytes.add(bytes, perSecond: limits.publishBytesPerSecond, uptime: uptime)
        user.publishes.add(1, perSecond: limits.publishesPerSecond * 2, uptime: uptime)
        user.publishedBytes.add(bytes, perSecond: limits.publishBytesPerSecond * 2, uptime: uptime)
        devices[address] = device
        users[address.user] = user
        return true
    }

    /// Counts a filter likewise.
    mutating func subscribe(_ address: DeviceAddress, limits: BrokerLimits, uptime: Int64) -> Bool {
        guard let device = devices[address], let user = users[address.user] else { return true }
        guard
            device.subscribes.hasRoom(
                for: 1, burst: limits.subscribeBurst, perSecond: limits.subscribesPerSecond, uptime: uptime),
            user.subscribes.hasRoom(
                for: 1, burst: limits.subscribeBurst * 2, perSecond: limits.subscribesPerSecond * 2, uptime: uptime)
        else { return false }
        devices[address]?.subscribes.add(1, perSecond: limits.subscribesPerSecond, uptime: uptime)
        users[address.user]?.subscribes.add(1, perSecond: limits.subscribesPerSecond * 2, uptime: uptime)
        return true
    }

    /// Counts bytes that come with a publish, likewise.
    mutating func carry(_ address: DeviceAddress, bytes: Int, limits: BrokerLimits, uptime: Int64) -> Bool {
        guard let device = devices[address], let user = users[address.user] else { return true }
        let (burst, rate) = (limits.publishBurstBytes, limits.publishBytesPerSecond)
        guard device.publishedBytes.hasRoom(for: bytes, burst: burst, perSecond: rate, uptime: uptime),
            user.publishedBytes.hasRoom(for: bytes, burst: burst * 2, perSecond: rate * 2, uptime: uptime)
        else { return false }
        devices[address]?.publishedBytes.add(bytes, perSecond: rate, uptime: uptime)
        users[address.user]?.publishedBytes.add(bytes, perSecond: rate * 2, uptime: uptime)
        return true
    }

    /// Counts a refusal for its rate; whether the device goes on so long that it is to be taken off.
    ///
    /// - Parameter bytes: what was refused, which the broker had to read: much of it counts as several refusals.
    mutating func goesOn(_ address: DeviceAddress, bytes: Int, uptime: Int64) -> Bool {
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

    /// Forgets the devices that are not there any more.
    mutating func keep(where isThere: (DeviceAddress) -> Bool) {
        for address in devices.keys where !isThere(address) { forget(address) }
    }
}
