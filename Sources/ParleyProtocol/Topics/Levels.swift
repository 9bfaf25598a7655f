/// The places of the levels in a topic, a filter or a client id: split as the broker does, empty levels included.
///
/// Holds ranges and no bytes, so that it costs no allocation; its methods take the same bytes again.
struct Levels {
    private var ends: InlineArray<8, Int>
    private let start: Int
    private(set) var count: Int

    /// The most levels of any topic after its prefix.
    static let maximumCount = 8

    /// `nil` if there are more than `maximumCount` levels.
    init?(of bytes: Span<UInt8>, from start: Int = 0, separator: UInt8 = UInt8(ascii: "/")) {
        self.start = start
        ends = InlineArray(repeating: 0)
        count = 0
        var position = start
        while position < bytes.count {
            if bytes[position] == separator {
                guard count < Levels.maximumCount - 1 else { return nil }
                ends[count] = position
                count += 1
            }
            position += 1
        }
        ends[count] = position
        count += 1
    }

    /// The levels after `parley/v1/`; `nil` for another prefix.
    init?(afterPrefixOf bytes: Span<UInt8>) {
        let prefix = Topic.prefix.utf8
        guard bytes.count > prefix.count, bytes.extracting(first: prefix.count).equals(Topic.prefix) else { return nil }
        self.init(of: bytes, from: prefix.count)
    }

    /// An empty range at the end for a missing level.
    subscript(index: Int) -> Range<Int> {
        guard index >= 0, index < count else { return ends[count - 1]..<ends[count - 1] }
        return (index == 0 ? start : ends[index - 1] + 1)..<ends[index]
    }

    /// From the start of a level to the end of the last.
    func rest(from index: Int) -> Range<Int> {
        self[index].lowerBound..<ends[count - 1]
    }

    /// The device named by two levels.
    func address(at index: Int, in bytes: Span<UInt8>) -> DeviceAddress? {
        guard let user = UserID(parsing: bytes.extracting(self[index])),
            let device = DeviceID(parsing: bytes.extracting(self[index + 1]))
        else { return nil }
        return DeviceAddress(user: user, device: device)
    }

    /// The channel named by the levels from `index` on.
    func channel<Channel: RawRepresentable<String> & CaseIterable>(
        _: Channel.Type, from index: Int, in bytes: Span<UInt8>
    ) -> Channel? {
        let name = bytes.extracting(rest(from: index))
        return Channel.allCases.first { name.equals($0.rawValue) }
    }
}

extension Span<UInt8> {
    /// Whether these are the UTF-8 bytes of `text`.
    package func equals(_ text: String) -> Bool {
        let expected = text.utf8Span.span
        guard expected.count == count else { return false }
        for index in 0..<count where self[index] != expected[index] { return false }
        return true
    }
}
