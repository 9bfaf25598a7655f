/// The broker's memory for retained messages of the gateway, which publishes all of them to a restarted broker.
struct RetainedMessages: Sendable {
    /// The broker's cost of one beside topic and payload: its node in the tree, and the message.
    private static let overhead = 512

    /// By the topic's hash: a collision is a small error of a sum.
    private var sizes: [Int: Int] = [:]
    private(set) var total = 0

    /// The gateway has published a retained message; an empty one removes it.
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
