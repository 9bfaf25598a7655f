import ParleyProtocol

/// A page of a conversation in the form of the older guide: `messages, has_more, next_cursor`, where the cursor is the
/// id of the oldest record on the page, for the next `before`.
struct OlderHistoryPage: GatewayObject {
    let messages: [MessageRecord]
    let hasMore: Bool
    let nextCursor: MessageID?

    init<Pass: FieldPass<OlderHistoryPage>>(fields pass: inout Pass) throws(Pass.Failure) {
        messages = try pass.required("messages", \.messages, as: .objects())
        hasMore = try pass.required("has_more", \.hasMore)
        nextCursor = try pass.optional("next_cursor", \.nextCursor)
    }

    /// The page, made of parts of a reply to `history/get`, whose records are not read.
    ///
    /// - Parameter data: the reply's.
    /// - Returns: `nil` for a malformed reply.
    static func json(of reply: [UInt8], _ data: JSONWalker) -> [UInt8]? {
        let bytes = reply.span
        var data = data
        var messages: Range<Int>?
        var hasMore: Bool?
        while messages == nil || hasMore == nil, let name = data.nextKey(bytes) {
            let (kind, place) = data.skipValue(bytes)
            let name = bytes.extracting(name)
            if name.equals("messages"), kind == .array {
                messages = place
            } else if name.equals("has_more") {
                hasMore = kind == .true
            }
        }
        guard let messages, let hasMore else { return nil }
        let cursor = hasMore ? oldestID(messages, bytes) : nil
        guard !hasMore || cursor != nil else { return nil }
        var page: [UInt8] = []
        page.reserveCapacity(messages.count + 96)
        page.append(contentsOf: #"{"messages":"#.utf8)
        page.append(contentsOf: reply[messages])
        page.append(contentsOf: hasMore ? #","has_more":true,"next_cursor":"#.utf8 : #","has_more":false"#.utf8)
        if let cursor {
            page.append(contentsOf: reply[cursor])
        } else {
            page.append(contentsOf: #","next_cursor":null"#.utf8)
        }
        page.append(UInt8(ascii: "}"))
        return page
    }

    /// The id of the first record: they are in ascending order.
    private static func oldestID(_ messages: Range<Int>, _ bytes: Span<UInt8>) -> Range<Int>? {
        var elements = JSONWalker(messages)
        guard let (kind, first) = elements.nextElement(bytes), kind == .object else { return nil }
        var members = JSONWalker(first)
        while let name = members.nextKey(bytes) {
            let (kind, place) = members.skipValue(bytes)
            if bytes.extracting(name).equals("id") { return kind == .string ? place : nil }
        }
        return nil
    }
}
