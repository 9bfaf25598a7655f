/// The filters that are wanted, and which of them the broker has been asked for on this connection.
///
/// Each step costs as much for one filter as for the eighty thousand of a gateway that tells of conversations without end.
struct SubscriptionBook {
    /// Each with its place in the order in which they were wanted.
    private var wanted: [String: Int] = [:]
    /// Those that the broker has not been asked for, by their place.
    private var unasked: [Int: String] = [:]
    private var packets: [PacketNumber: String] = [:]
    private var lastPlace = 0

    mutating func add(_ filter: String) {
        guard wanted[filter] == nil else { return }
        lastPlace += 1
        wanted[filter] = lastPlace
        unasked[lastPlace] = filter
    }

    /// - Returns: whether the broker is to be asked to end it.
    mutating func drop(_ filter: String) -> Bool {
        guard let place = wanted.removeValue(forKey: filter) else { return false }
        return unasked.removeValue(forKey: place) == nil
    }

    /// What the broker is to be asked for.
    var due: [String] { unasked.sorted { $0.key < $1.key }.map(\.value) }

    mutating func markSent(_ filter: String, as packet: PacketNumber) {
        if let place = wanted[filter] { unasked[place] = nil }
        packets[packet] = filter
    }

    /// The broker answered: what it refuses is not asked for again.
    mutating func handleAnswer(_ packet: PacketNumber, isGranted: Bool) -> DeviceEvent? {
        guard let filter = packets.removeValue(forKey: packet), wanted[filter] != nil else { return nil }
        guard !isGranted else { return .subscribed(filter: filter) }
        markRefused(filter)
        return .subscriptionRefused(filter: filter)
    }

    /// Nobody can be asked for this filter.
    mutating func markRefused(_ filter: String) { _ = drop(filter) }

    /// The next connection starts with nothing.
    mutating func markDisconnected() {
        packets.removeAll()
        for (filter, place) in wanted { unasked[place] = filter }
    }
}
