/// The sizes of the QoS 0 packets in the library's queue, oldest first. The library bounds that queue by nothing and
/// tells nobody its length; it only says, in order, which packets it has written.
struct UnsentPackets {
    private var sizes: [Int] = []
    private var writtenCount = 0
    /// Bytes that are still to be written.
    private(set) var bytes = 0

    mutating func append(_ size: Int) {
        sizes.append(size)
        bytes += size
    }

    /// Drops the oldest `count`.
    mutating func removeFirst(_ count: Int) {
        let end = min(sizes.count, writtenCount + count)
        for index in writtenCount..<end { bytes -= sizes[index] }
        writtenCount = end
        // Moving the rest only when it is the smaller half costs, over time, one move a packet.
        if writtenCount * 2 >= sizes.count {
            sizes.removeFirst(writtenCount)
            writtenCount = 0
        }
    }
}
