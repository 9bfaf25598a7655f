/// Who has caused an event of a conversation, and at which place of its log: read from the event as the gateway has
/// written it, for the broker's plugin, which decides a delivery by it.
///
/// Only the beginning of the event is looked at. What is not there, or not as the gateway writes it, is `nil`: then
/// nobody has caused it.
package struct EventOrigin: Hashable, Sendable {
    package let user: UserID?
    /// Of a record of the log.
    package let seq: UInt64?

    /// At least as many bytes as are before the sender of a record: ids, an epoch and a number.
    private static let beginning = 512
    private static let userKey = Array(#""user_id":""#.utf8)
    private static let senderKey = Array(#""sender_id":""#.utf8)
    private static let seqKey = Array(#""seq":"#.utf8)

    package init(of payload: Span<UInt8>) {
        let head = payload.extracting(first: EventOrigin.beginning)
        let sender = EventOrigin.end(of: EventOrigin.senderKey.span, in: head)
        // An event that is no record names its user, and has a `seq` of another meaning.
        guard let start = sender ?? EventOrigin.end(of: EventOrigin.userKey.span, in: head) else {
            (user, seq) = (nil, nil)
            return
        }
        user = EventOrigin.user(at: start, in: head)
        seq = sender.flatMap { _ in EventOrigin.end(of: EventOrigin.seqKey.span, in: head) }
            .flatMap { EventOrigin.number(at: $0, in: head) }
    }

    /// Who has caused an event of somebody's activity.
    package static func user(ofActivity payload: Span<UInt8>) -> UserID? {
        let head = payload.extracting(first: beginning)
        return end(of: userKey.span, in: head).flatMap { user(at: $0, in: head) }
    }

    /// Where the first occurrence of `key` ends.
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
