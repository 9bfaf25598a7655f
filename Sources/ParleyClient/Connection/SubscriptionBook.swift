/// The filters that are wanted, and which of them the broker has been asked for on this connection.
///
/// Each step costs as much for one filter as for the eighty thousand of a gateway that tells of conversations without
/// end.
struct SubscriptionBook {
    /// Each with its place in the order in which they were wanted.
    private var wanted: [String: Int] = [:]
    /// Those that the broker has not been asked for, by their place.
    private var unasked: [Int: String] = [:]
    private var packets: [PacketNumber: String] = [:]
    /// Those of the wanted that stand for more than one topic.
    private var patterns: Set<String> = []
    private var lastPlace = 0

    mutating func add(_ filter: String) {
        guard wanted[filter] == nil else { return }
        lastPlace += 1
        wanted[filter] = lastPlace
        unasked[lastPlace] = filter
        if filter.contains(where: { $0 == "+" || $0 == "#" }) { patterns.insert(filter) }
    }

    /// Whether a topic is one of those that are wanted: what comes on any other was not asked for, and is nobody's.
    func covers(_ topic: String) -> Bool {
        wanted[topic] != nil || patterns.contains { SubscriptionBook.matches(topic, $0) }
    }

    /// MQTT 5 §4.7.1. Topics that begin with `$` are none of Parley's.
    private static func matches(_ topic: String, _ filter: String) -> Bool {
        var levels = topic.utf8.split(separator: UInt8(ascii: "/"), omittingEmptySubsequences: false)[...]
        for wanted in filter.utf8.split(separator: UInt8(ascii: "/"), omittingEmptySubsequences: false) {
            if wanted.elementsEqual("#".utf8) { return true }
            guard let level = levels.popFirst(), wanted.elementsEqual("+".utf8) || wanted.elementsEqual(level) else {
                return false
            }
        }
        return levels.isEmpty
    }

    /// - Returns: whether the broker is to be asked to end it.
    mutating func drop(_ filter: String) -> Bool {
        guard let place = wanted.removeValue(forKey: filter) else { return false }
        patterns.remove(filter)
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
