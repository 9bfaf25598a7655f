/// The network of a client, by which attempts are counted: an IPv4 address, or the first 64 bits of an IPv6 one, which
/// one household has.
public struct ClientNetwork: Hashable, Sendable, CustomStringConvertible {
    /// 4 or 8 bytes.
    package let bytes: [UInt8]
    private let text: String

    /// In characters: an IPv4 address written inside an IPv6 one.
    private static let longestText = 45
    /// Of the requests that name it.
    package static let field = "address"

    /// - Parameter text: an address as in RFC 4291 §2.2, without a zone and a port.
    public init?(_ text: String) {
        let characters = Array(text.utf8)
        guard characters.count <= Self.longestText else { return nil }
        if let address = Self.version4(characters[...]) {
            bytes = address
        } else if let address = Self.version6(characters) {
            let isMapped = address.starts(with: [UInt8](repeating: 0, count: 10) + [0xFF, 0xFF])
            bytes = isMapped ? Array(address[12...]) : Array(address[..<8])
        } else {
            return nil
        }
        self.text = text
    }

    /// The networks of one customer: an IPv4 address, or the first 48 bits of an IPv6 one (RFC 6177 §2).
    package var site: [UInt8] { bytes.count == 8 ? Array(bytes[..<6]) : bytes }

    /// Whether it is this machine (RFC 1122 §3.2.1.3, RFC 4291 §2.5.3).
    package var isLoopback: Bool { bytes.count == 4 ? bytes[0] == 127 : bytes.allSatisfy { $0 == 0 } }

    /// Never the address, which belongs in no log.
    public var description: String { "a network" }

    public static func == (left: ClientNetwork, right: ClientNetwork) -> Bool { left.bytes == right.bytes }
    public func hash(into hasher: inout Hasher) { hasher.combine(bytes) }

    private static func version4(_ text: ArraySlice<UInt8>) -> [UInt8]? {
        let parts = text.split(separator: UInt8(ascii: "."), omittingEmptySubsequences: false)
        guard parts.count == 4 else { return nil }
        var bytes: [UInt8] = []
        for part in parts {
            guard (1...3).contains(part.count), part.allSatisfy(\.isASCIIDigit),
                let byte = UInt8(String(decoding: part, as: UTF8.self))
            else { return nil }
            bytes.append(byte)
        }
        return bytes
    }

    private static func version6(_ text: [UInt8]) -> [UInt8]? {
        let colon = UInt8(ascii: ":")
        guard let gap = text.indices.dropLast().first(where: { text[$0] == colon && text[$0 + 1] == colon }) else {
            let groups = groups(text[...])
            return groups?.count == 16 ? groups : nil
        }
        let (head, tail) = (text[..<gap], text[(gap + 2)...])
        guard let head = head.isEmpty ? [] : groups(head), let tail = tail.isEmpty ? [] : groups(tail),
            head.count + tail.count <= 14
        else { return nil }
        return head + [UInt8](repeating: 0, count: 16 - head.count - tail.count) + tail
    }

    /// The bytes of groups of four digits; the last may be an IPv4 address.
    private static func groups(_ text: ArraySlice<UInt8>) -> [UInt8]? {
        let parts = text.split(separator: UInt8(ascii: ":"), omittingEmptySubsequences: false)
        guard parts.count <= 8 else { return nil }
        var bytes: [UInt8] = []
        for (index, part) in parts.enumerated() {
            if index == parts.count - 1, let address = version4(part) {
                bytes += address
                continue
            }
            guard (1...4).contains(part.count) else { return nil }
            var group: UInt16 = 0
            for digit in part {
                guard let value = digit.hexadecimal else { return nil }
                group = group << 4 | UInt16(value)
            }
            bytes += [UInt8(truncatingIfNeeded: group >> 8), UInt8(truncatingIfNeeded: group)]
        }
        return bytes
    }
}

extension ClientNetwork: JSONReadable {
    public func write(to writer: inout JSONWriter) { text.write(to: &writer) }

    public static func read(_ name: String, of object: JSONObject) throws(Rejection) -> ClientNetwork? {
        guard let text = try object.text(name, maximum: longestText) else { return nil }
        guard let network = ClientNetwork(text) else { throw .badRequest(name, "not an internet address") }
        return network
    }

    public static var schema: FieldSchema {
        // Less than is accepted: IPv4 alone.
        let byte = "(25[0-5]|2[0-4][0-9]|1?[0-9]?[0-9])"
        return .text(7...15, FieldSchema.Pattern("^(\(byte)\\.){3}\(byte)$", example: "192.0.2.1"))
    }
}
