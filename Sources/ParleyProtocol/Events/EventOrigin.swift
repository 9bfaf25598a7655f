/// The user who has caused an event of a conversation, and its place in the log, read from the written event: the
/// broker's plugin decides about a delivery by them.
///
/// Only the beginning of the event is searched. A value that is missing, or not in the gateway's form, is `nil`: then
/// nobody has caused the event.
package struct EventOrigin: Hashable, Sendable {
    package let user: UserID?
    /// `nil` for an event that is no record.
    package let seq: UInt64?

    /// In bytes; the ids, epoch and number before the sender of a record are shorter.
    private static let beginning = 512
    private static let userKey = Array(#""user_id":""#.utf8)
    private static let senderKey = Array(#""sender_id":""#.utf8)
    private static let seqKey = Array(#""seq":"#.utf8)

    package init(of payload: Span<UInt8>) {
        let head = payload.extracting(first: EventOrigin.beginning)
        let sender = EventOrigin.end(of: EventOrigin.senderKey.span, in: head)
        // Any other event names its user, and its `seq` has another meaning.
        guard let start = sender ?? EventOrigin.end(of: EventOrigin.userKey.span, in: head) else {
            (user, seq) = (nil, nil)
            return
        }
        user = EventOrigin.user(at: start, in: head)
        seq = sender.flatMap { _ in EventOrigin.end(of: EventOrigin.seqKey.span, in: head) }
            .flatMap { EventOrigin.number(at: $0, in: head) }
    }

    /// The user who has caused an event of activity.
    package static func user(ofActivity payload: Span<UInt8>) -> UserID? {
        let head = payload.extracting(first: beginning)
        return end(of: userKey.span, in: head).flatMap { user(at: $0, in: head) }
    }

    /// The end of the first occurrence of `key`.
    private static func end(of key: Span<UInt8>, in text: Span<UInt8>) -> Int? {
        guard text.count >= key.count else { return nil }
        for start in 0...(text.count - key.count) {
            var length = 0
            while length < key.count, text[start + length] == key[length] { length += 1 }
            if length == key.count { return start + length }
        }
        return nil
    }

    private static func user(at start: Int, in text: Span<UInt8>) -> UserID? {
        var end = start
        while end < text.count, text[end] != UInt8(ascii: "\"") { end += 1 }
        return end < text.count ? UserID(parsing: text.extracting(start..<end)) : nil
    }

    private static func number(at start: Int, in text: Span<UInt8>) -> UInt64? {
        var (value, index): (UInt64, Int) = (0, start)
        while index < text.count, text[index] >= UInt8(ascii: "0"), text[index] <= UInt8(ascii: "9") {
            let (tens, overflow) = value.multipliedReportingOverflow(by: 10)
            let (next, carry) = tens.addingReportingOverflow(UInt64(text[index] - UInt8(ascii: "0")))
            guard !overflow, !carry else { return nil }
            value = next
            index += 1
        }
        return index > start ? value : nil
    }
}
