import MQTTClient

/// The filters that are wanted, and which of them the broker has been asked for on this connection.
struct SubscriptionBook {
    private var wanted: [String] = []
    private var asked: Set<String> = []
    private var packets: [PacketIdentifier: String] = [:]

    mutating func want(_ filter: String) {
        guard !wanted.contains(filter) else { return }
        wanted.append(filter)
    }

    /// - Returns: whether the broker is to be told.
    mutating func drop(_ filter: String) -> Bool {
        wanted.removeAll { $0 == filter }
        return asked.remove(filter) != nil
    }

    /// What the broker is to be asked for.
    var due: [String] { wanted.filter { !asked.contains($0) } }

    mutating func sent(_ filter: String, as packet: PacketIdentifier) {
        asked.insert(filter)
        packets[packet] = filter
    }

    /// The broker answered: what it refuses is not asked for again.
    mutating func answered(_ result: SubscriptionResult) -> DeviceEvent? {
        guard let filter = packets.removeValue(forKey: result.packet), wanted.contains(filter) else { return nil }
        guard result.reason.isFailure else { return .subscribed(filter: filter) }
        refused(filter)
        return .subscriptionRefused(filter: filter)
    }

    /// Nobody can be asked for this filter.
    mutating func refused(_ filter: String) {
        wanted.removeAll { $0 == filter }
        asked.remove(filter)
    }

    /// The next connection starts with nothing.
    mutating func disconnected() {
        asked.removeAll()
        packets.removeAll()
    }
}
