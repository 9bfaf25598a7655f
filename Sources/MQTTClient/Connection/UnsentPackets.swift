/// The sizes of the QoS 0 packets in the library's queue, oldest first. The library neither bounds that queue nor
/// reports its length; it only reports each packet that it has written.
struct UnsentPackets {
    private var sizes: [Int] = []
    private var writtenCount = 0
    /// The bytes not yet written.
    private(set) var bytes = 0

    mutating func append(_ size: Int) {
        sizes.append(size)
        bytes += size
    }

    mutating func removeFirst(_ count: Int) {
        let end = min(sizes.count, writtenCount + count)
        for index in writtenCount..<end { bytes -= sizes[index] }
        writtenCount = end
        // Moving the rest only when it is the smaller half costs one move for each packet over time.
        if writtenCount * 2 >= sizes.count {
            sizes.removeFirst(writtenCount)
            writtenCount = 0
        }
    }
}
