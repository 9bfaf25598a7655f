/// CONNECT of a client as a server reads it (MQTT 3.1.1 and 5, §3.1), as ranges into the bytes that were read.
package struct ConnectRequest: Hashable, Sendable {
    package let version: Version
    package let hasWill: Bool
    package let clientID: Range<Int>
    package let username: Range<Int>?
    package let password: Range<Int>?

    package enum Version: UInt8, Hashable, Sendable {
        case mqtt311 = 4
        case mqtt5 = 5
    }

    /// Reads the body of a packet whose fixed header is `0x10`, to its last byte.
    ///
    /// - Parameter body: within `bytes`.
    package init(in bytes: Span<UInt8>, body: Range<Int>) throws(WireError) {
        var cursor = PacketCursor(body)
        let name = try cursor.field(in: bytes)
        guard name.count == 4, bytes[name.lowerBound] == UInt8(ascii: "M"),
            bytes[name.lowerBound + 1] == UInt8(ascii: "Q"), bytes[name.lowerBound + 2] == UInt8(ascii: "T"),
            bytes[name.lowerBound + 3] == UInt8(ascii: "T"), let version = Version(rawValue: try cursor.byte(in: bytes))
        else { throw .malformed }
        let flags = try Flags(try cursor.byte(in: bytes), version)
        _ = try cursor.word(in: bytes)
        if version == .mqtt5 { _ = try PacketProperties(in: bytes, at: &cursor) }
        clientID = try cursor.field(in: bytes)
        if flags.hasWill {
            if version == .mqtt5 { _ = try PacketProperties(in: bytes, at: &cursor) }
            for _ in 0..<2 { _ = try cursor.field(in: bytes) }
        }
        username = flags.hasUsername ? try cursor.field(in: bytes) : nil
        password = flags.hasPassword ? try cursor.field(in: bytes) : nil
        guard cursor.isAtEnd else { throw .malformed }
        self.version = version
        hasWill = flags.hasWill
    }

    private struct Flags {
        let hasWill: Bool
        let hasUsername: Bool
        let hasPassword: Bool

        init(_ flags: UInt8, _ version: Version) throws(WireError) {
            (hasUsername, hasPassword, hasWill) = (flags & 0x80 != 0, flags & 0x40 != 0, flags & 0x04 != 0)
            let willDetails = flags & 0x38
            let isReserved = flags & 0x01 != 0
            guard !isReserved, hasWill || willDetails == 0, willDetails & 0x18 != 0x18,
                version == .mqtt5 || hasUsername || !hasPassword
            else { throw .malformed }
        }
    }
}
