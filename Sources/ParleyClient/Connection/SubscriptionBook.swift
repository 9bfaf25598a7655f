/// The wanted filters, and which of them were requested on this connection.
///
/// Each step takes constant time: a hostile gateway can announce tens of thousands of conversations.
struct SubscriptionBook {
    /// Each with its number in order of wanting.
    private var wanted: [String: Int] = [:]
    /// Those not yet requested, by their number.
    private var unrequested: [Int: String] = [:]
    private var packets: [PacketNumber: String] = [:]
    /// Those of the wanted that have wildcards.
    private var patterns: Set<String> = []
    private var lastPlace = 0

    mutating func add(_ filter: String) {
        guard wanted[filter] == nil else { return }
        lastPlace += 1
        wanted[filter] = lastPlace
        unrequested[lastPlace] = filter
        if filter.contains(where: { $0 == "+" || $0 == "#" }) { patterns.insert(filter) }
    }

    /// Whether a topic is wanted: messages on any other topic are ignored.
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

    /// - Returns: whether to unsubscribe at the broker.
    mutating func drop(_ filter: String) -> Bool {
        guard let position = wanted.removeValue(forKey: filter) else { return false }
        patterns.remove(filter)
        return unrequested.removeValue(forKey: position) == nil
    }

    var due: [String] { unrequested.sorted { $0.key < $1.key }.map(\.value) }

    mutating func markSent(_ filter: String, as packet: PacketNumber) {
        if let position = wanted[filter] { unrequested[position] = nil }
        packets[packet] = filter
    }

    /// Handles the broker's answer. A refused filter is not requested again.
    mutating func handleAnswer(_ packet: PacketNumber, isGranted: Bool) -> DeviceEvent? {
        guard let filter = packets.removeValue(forKey: packet), wanted[filter] != nil else { return nil }
        guard !isGranted else { return .subscribed(filter: filter) }
        markRefused(filter)
        return .subscriptionRefused(filter: filter)
    }

    mutating func markRefused(_ filter: String) { _ = drop(filter) }

    /// The next connection starts without subscriptions.
    mutating func markDisconnected() {
        packets.removeAll()
        for (filter, position) in wanted { unrequested[position] = filter }
    }
}
