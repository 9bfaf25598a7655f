import ParleyProtocol

/// How far one member has come. `read <= delivered`, and both only grow.
public struct WatermarkFacts: Hashable, Sendable {
    public let deliveredSeq: Int
    public let deliveredAt: Timestamp?
    public let readSeq: Int
    public let readAt: Timestamp?

    public init(deliveredSeq: Int, deliveredAt: Timestamp?, readSeq: Int, readAt: Timestamp?) {
        self.deliveredSeq = deliveredSeq
        self.deliveredAt = deliveredAt
        self.readSeq = readSeq
        self.readAt = readAt
    }
}

/// Decides `receipts/delivered` and `receipts/read` (protocol §3).
public enum AdvanceWatermark {
    /// The watermarks as they are to be, or `nil` if they stand there or further already.
    public static func decide(
        _ kind: ReceiptKind, upTo seq: Int, current: WatermarkFacts, now: Timestamp
    ) -> WatermarkFacts? {
        switch kind {
        case .delivered:
            guard seq > current.deliveredSeq else { return nil }
            return WatermarkFacts(
                deliveredSeq: seq, deliveredAt: now, readSeq: current.readSeq, readAt: current.readAt)
        case .read:
            guard seq > current.readSeq else { return nil }
            // What was read was delivered.
            let isNews = seq > current.deliveredSeq
            return WatermarkFacts(
                deliveredSeq: isNews ? seq : current.deliveredSeq, deliveredAt: isNews ? now : current.deliveredAt,
                readSeq: seq, readAt: now)
        }
    }

    /// How far a message of the caller's own has come, seen from the least watermark of all the others.
    public static func status(of seq: Int, leastDelivered: Int, leastRead: Int) -> MessageStatus {
        if seq <= leastRead { return .read }
        return seq <= leastDelivered ? .delivered : .sent
    }
}
