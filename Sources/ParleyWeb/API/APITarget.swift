import ParleyProtocol

/// The target of a request (RFC 9112 §3.2.1): the levels of its path behind `/api/v1/`, and its query.
struct APITarget: Hashable, Sendable {
    /// Percent-decoded once.
    let path: [[UInt8]]
    /// As received.
    let query: [UInt8]

    /// More levels than any path has.
    private static let mostLevels = 4

    /// - Returns: `nil` for a path that is not below the base, and for one with bad percent-encoding.
    init?(_ target: String) {
        let bytes = target.utf8
        guard bytes.starts(with: APIResource.base.utf8) else { return nil }
        let rest = bytes.dropFirst(APIResource.base.utf8.count)
        let path = rest.prefix { $0 != UInt8(ascii: "?") }
        query = Array(rest[path.endIndex...].dropFirst())
        var levels: [[UInt8]] = []
        for level in path.split(
            separator: UInt8(ascii: "/"), maxSplits: APITarget.mostLevels, omittingEmptySubsequences: false)
        {
            guard let decoded = PercentEncoding.decode(level) else { return nil }
            levels.append(decoded)
        }
        self.path = levels
    }
}

/// RFC 3986 §2.1.
enum PercentEncoding {
    /// - Returns: `nil` for a `%` without two hexadecimal digits.
    static func decode(_ text: some Collection<UInt8>) -> [UInt8]? {
        var decoded: [UInt8] = []
        decoded.reserveCapacity(text.count)
        var bytes = text.makeIterator()
        while let byte = bytes.next() {
            guard byte == UInt8(ascii: "%") else {
                decoded.append(byte)
                continue
            }
            guard let high = bytes.next()?.hexadecimal, let low = bytes.next()?.hexadecimal else { return nil }
            decoded.append(high << 4 | low)
        }
        return decoded
    }
}
