import HTTPTypes
import NIOCore
import ParleyProtocol

/// The client's IP address.
enum ClientAddress {
    static let forwarded = HTTPField.Name("X-Forwarded-For")

    /// - Parameters:
    ///   - peer: the other end of the connection: the client, or the proxy before the door.
    ///   - takesForwarded: whether the last entry of `X-Forwarded-For` is trusted. The entries before it may be the
    ///     client's.
    /// - Returns: `nil` if that entry is no address: with the proxy's, all clients would count as one.
    static func network(peer: SocketAddress?, _ fields: HTTPFields, takesForwarded: Bool) -> ClientNetwork? {
        if takesForwarded, let forwarded, let last = fields[values: forwarded].last { return network(lastOf: last) }
        return peer?.ipAddress.flatMap { ClientNetwork($0) }
    }

    static func isForwarded(_ fields: HTTPFields) -> Bool { forwarded.map { fields[$0] != nil } ?? false }

    private static func network(lastOf list: String) -> ClientNetwork? {
        let entry = list.utf8.reversed().prefix { $0 != UInt8(ascii: ",") }.reversed()
        let isSpace = { (byte: UInt8) in byte == UInt8(ascii: " ") || byte == UInt8(ascii: "\t") }
        let trimmed = Array(entry.drop(while: isSpace).reversed().drop(while: isSpace).reversed())
        return ClientNetwork(String(decoding: withoutPort(trimmed[...]), as: UTF8.self))
    }

    /// Some proxies write the client's port behind the address: `192.0.2.1:80` and `[2001:db8::1]:80`.
    private static func withoutPort(_ entry: ArraySlice<UInt8>) -> ArraySlice<UInt8> {
        let colon = UInt8(ascii: ":")
        if entry.first == UInt8(ascii: "["), let end = entry.firstIndex(of: UInt8(ascii: "]")) {
            let rest = entry[(end + 1)...]
            return rest.isEmpty || rest.first == colon ? entry[(entry.startIndex + 1)..<end] : []
        }
        guard let first = entry.firstIndex(of: colon), first == entry.lastIndex(of: colon) else { return entry }
        return entry[..<first]
    }
}
