/// The first levels of a topic name or filter after `parley/v1/`, for decisions about rights.
///
/// Unlike `Topic` it accepts any number of levels, and wildcards as levels; it allocates nothing.
package struct TopicPath {
    package enum Kind: Sendable {
        case up, down, conversations, groups, users, gateway
        /// Another word, or a wildcard.
        case other
    }

    package let kind: Kind
    /// With that of the kind.
    package let levelCount: Int
    /// The level after the kind; empty if there is none.
    package let first: Range<Int>
    package let second: Range<Int>
    package let third: Range<Int>
    package let fourth: Range<Int>

    /// `nil` for a name without the prefix `parley/v1/`.
    package init?(parsing bytes: Span<UInt8>) {
        let start = Topic.prefix.utf8.count
        guard bytes.count > start, bytes.extracting(first: start).equals(Topic.prefix) else { return nil }
        var bounds = InlineArray<5, Range<Int>>(repeating: bytes.count..<bytes.count)
        var levelCount = 0
        var levelStart = start
        for index in start..<bytes.count where bytes[index] == UInt8(ascii: "/") {
            if levelCount < bounds.count { bounds[levelCount] = levelStart..<index }
            levelCount += 1
            levelStart = index + 1
        }
        if levelCount < bounds.count { bounds[levelCount] = levelStart..<bytes.count }
        self.levelCount = levelCount + 1
        first = bounds[1]
        second = bounds[2]
        third = bounds[3]
        fourth = bounds[4]
        kind = TopicPath.kind(of: bytes.extracting(bounds[0]))
    }

    private static func kind(of level: Span<UInt8>) -> Kind {
        if level.equals("conversations") { return .conversations }
        if level.equals("up") { return .up }
        if level.equals("down") { return .down }
        if level.equals("users") { return .users }
        if level.equals("gateway") { return .gateway }
        if level.equals("groups") { return .groups }
        return .other
    }

    /// Whether the two levels after the kind name this device.
    package func names(_ address: DeviceAddress, in bytes: Span<UInt8>) -> Bool {
        bytes.extracting(first).equals(address.user.text) && bytes.extracting(second).equals(address.device.text)
    }
}
