/// What the broker retains by the gateway's order, which is nobody's unread: how much of the broker's memory that is.
///
/// The gateway publishes all of it again to a broker that was started anew. Bounded by what the gateway retains.
struct RetainedMessages: Sendable {
    /// What one costs the broker beside topic and payload: its place in the tree, and the message.
    private static let overhead = 512

    /// By the topic's hash: that two topics have the same one is a small error in a sum.
    private var sizes: [Int: Int] = [:]
    private(set) var total = 0

    /// The gateway has published a retained message; an empty one takes back what was retained.
    mutating func record(topic: Span<UInt8>, payloadLength: Int) {
        let hash = topic.hash
        total -= sizes.removeValue(forKey: hash) ?? 0
        guard payloadLength > 0 else { return }
        let size = topic.count + payloadLength + RetainedMessages.overhead
        sizes[hash] = size
        total += size
    }
}

extension Span<UInt8> {
    /// Within this process.
    var hash: Int {
        var hasher = Hasher()
        for index in 0..<count { hasher.combine(self[index]) }
        return hasher.finalize()
    }
}
