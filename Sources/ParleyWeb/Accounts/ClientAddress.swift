import HTTPTypes
import NIOCore
import ParleyProtocol

/// Where the client of a request is.
enum ClientAddress {
    static let forwarded = HTTPField.Name("X-Forwarded-For")

    /// - Parameters:
    ///   - peer: at the other end of the connection: the client, or the proxy before the door.
    ///   - takesForwarded: whether the last entry of `X-Forwarded-For` is believed. What stands before it, the client
    ///     may have written. Where the header has no address, the peer's counts.
    static func network(peer: SocketAddress?, _ fields: HTTPFields, takesForwarded: Bool) -> ClientNetwork? {
        if takesForwarded, let forwarded, let last = fields[values: forwarded].last,
            let network = network(lastOf: last)
        {
            return network
        }
        return peer?.ipAddress.flatMap { ClientNetwork($0) }
    }

    private static func network(lastOf list: String) -> ClientNetwork? {
        let entry = list.utf8.reversed().prefix { $0 != UInt8(ascii: ",") }.reversed()
        let isSpace = { (byte: UInt8) in byte == UInt8(ascii: " ") || byte == UInt8(ascii: "\t") }
        let trimmed = Array(entry.drop(while: isSpace).reversed().drop(while: isSpace).reversed())
        return ClientNetwork(String(decoding: trimmed, as: UTF8.self))
    }
}
