import ParleyProtocol

/// How many bytes of a file one request moves: many where the way is fast, few where it is slow, so that none takes
/// long.
struct PieceSize: Hashable, Sendable {
    private(set) var count = 262_144

    static let smallest = 65_536
    /// 4 MiB
    static let largest = 4_194_304
    private static let quick = Duration.seconds(1)
    private static let slow = Duration.seconds(10)
    /// A piece that takes longer is given up. A door closes a connection that moves less than 64 KiB a minute.
    static let patience = Duration.seconds(60)

    mutating func record(_ duration: Duration) {
        if duration < PieceSize.quick {
            count = min(PieceSize.largest, count * 2)
        } else if duration > PieceSize.slow {
            count = max(PieceSize.smallest, count / 2)
        }
    }
}

/// How far a file has come.
public struct FileProgress: Hashable, Sendable {
    /// In bytes.
    public let done: Int
    public let total: Int

    public init(done: Int, total: Int) { (self.done, self.total) = (done, total) }
}
