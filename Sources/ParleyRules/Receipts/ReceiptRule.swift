import ParleyProtocol

/// A user's watermarks with their times. `read <= delivered`, and both only grow.
package struct WatermarkFacts: Hashable, Sendable {
    package let deliveredSeq: Int
    package let deliveredAt: Timestamp?
    package let readSeq: Int
    package let readAt: Timestamp?

    package init(deliveredSeq: Int, deliveredAt: Timestamp?, readSeq: Int, readAt: Timestamp?) {
        (self.deliveredSeq, self.deliveredAt, self.readSeq, self.readAt) = (deliveredSeq, deliveredAt, readSeq, readAt)
    }
}

/// The watermarks that a receipt of a device moves.
package struct ReceiptState: Hashable, Sendable {
    /// The user's, which are the furthest of their devices'.
    package let user: WatermarkFacts
    /// Those of the sending device.
    package let device: Watermarks
    /// Those of the user's that are disclosed to the others.
    package let disclosed: Watermarks

    package init(user: WatermarkFacts, device: Watermarks, disclosed: Watermarks) {
        (self.user, self.device, self.disclosed) = (user, device, disclosed)
    }
}

/// Decides `receipts/delivered` and `receipts/read` (protocol §3).
///
/// Each watermark moves only forward. What was not disclosed, because the reader sends no read receipts or may not
/// write to the others, is disclosed by the reader's next receipt at the earliest.
package enum ReceiptRule {
    /// The new watermarks.
    package struct Advance: Hashable, Sendable {
        package let user: WatermarkFacts
        package let device: Watermarks
        package let disclosed: Watermarks
        /// The receipt to publish.
        package let announcement: ReceiptKind?
        /// Whether the user has read further than on any device before.
        package let hasRead: Bool
    }

    /// `nil` if no watermark moves.
    package static func decide(
        _ kind: ReceiptKind, upTo seq: Int, _ state: ReceiptState, _ disclosure: ReceiptDisclosure, now: Timestamp
    ) -> Advance? {
        let device = state.device.advanced(kind, to: seq)
        let user = advanced(state.user, kind, to: seq, now: now)
        guard device != state.device || user != state.user else { return nil }
        guard user != state.user else {
            // Another device of the user was faster.
            return Advance(user: user, device: device, disclosed: state.disclosed, announcement: nil, hasRead: false)
        }
        let disclosed: Watermarks
        switch (disclosure, kind) {
        case (.nothing, _): disclosed = state.disclosed
        // A read message is delivered, which may be disclosed.
        case (.deliveredOnly, _), (.everything, .delivered): disclosed = state.disclosed.advanced(.delivered, to: seq)
        case (.everything, .read): disclosed = state.disclosed.advanced(.read, to: seq)
        }
        return Advance(
            user: user, device: device, disclosed: disclosed,
            announcement: disclosed.read > state.disclosed.read
                ? .read : disclosed.delivered > state.disclosed.delivered ? .delivered : nil,
            hasRead: user.readSeq > state.user.readSeq)
    }

    private static func advanced(
        _ current: WatermarkFacts, _ kind: ReceiptKind, to seq: Int, now: Timestamp
    ) -> WatermarkFacts {
        let isDelivered = seq > current.deliveredSeq
        let isRead = kind == .read && seq > current.readSeq
        return WatermarkFacts(
            deliveredSeq: isDelivered ? seq : current.deliveredSeq,
            deliveredAt: isDelivered ? now : current.deliveredAt,
            readSeq: isRead ? seq : current.readSeq, readAt: isRead ? now : current.readAt)
    }

    /// The status of a message of the user's own, from the least watermarks of the others.
    package static func status(
        of record: MessageRecord, for user: UserID, _ least: (delivered: Int, read: Int)
    ) -> MessageStatus? {
        guard record.sender.user == user, record.kind == .known(.message), record.type != .known(.system) else {
            return nil
        }
        if record.seq <= least.read { return .read }
        return record.seq <= least.delivered ? .delivered : .sent
    }
}

extension Watermarks {
    fileprivate func advanced(_ kind: ReceiptKind, to seq: Int) -> Watermarks {
        switch kind {
        case .delivered: Watermarks(delivered: max(delivered, seq), read: read)
        case .read: Watermarks(delivered: max(delivered, seq), read: max(read, seq))
        }
    }
}
