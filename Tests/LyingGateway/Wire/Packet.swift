/// What a client sends, as far as a broker of tests has to understand it (MQTT 5).
enum ClientPacket: Sendable {
    case connect(clientID: String)
    case publish(Publish)
    /// The client has a message that was sent at QoS 1.
    case acknowledge
    case subscribe(packet: UInt16, filters: [String])
    case unsubscribe(packet: UInt16, filters: [String])
    case ping
    case disconnect

    struct Publish: Sendable {
        let topic: String
        /// `nil` at QoS 0.
        let packet: UInt16?
        let responseTopic: String?
        let correlationData: [UInt8]?
        let payload: [UInt8]
    }
}

/// The client is no MQTT 5 client, or none that a test has.
struct MalformedPacketError: Error {}

extension ClientPacket {
    /// Longer than anything that a client of the protocol sends, in bytes.
    private static let longest = 512 * 1024

    /// Takes the first whole packet out of what has come; `nil` where none is whole yet.
    static func take(from input: inout [UInt8]) throws(MalformedPacketError) -> ClientPacket? {
        guard let header = input.first else { return nil }
        var (length, shift, start) = (0, 0, 1)
        while true {
            guard start < input.count else { return nil }
            guard start < 5 else { throw MalformedPacketError() }
            length |= Int(input[start] & 0x7F) << shift
            shift += 7
            start += 1
            if input[start - 1] & 0x80 == 0 { break }
        }
        guard length <= longest else { throw MalformedPacketError() }
        guard input.count >= start + length else { return nil }
        var fields = Fields(bytes: Array(input[start..<(start + length)]))
        input.removeFirst(start + length)
        return try read(header, &fields)
    }

    private static func read(_ header: UInt8, _ fields: inout Fields) throws(MalformedPacketError) -> ClientPacket {
        switch header >> 4 {
        case 1: return try readConnect(&fields)
        case 3: return .publish(try readPublish(header, &fields))
        case 4: return .acknowledge
        case 8: return .subscribe(packet: try fields.number(), filters: try readFilters(&fields, haveOptions: true))
        case 10: return .unsubscribe(packet: try fields.number(), filters: try readFilters(&fields, haveOptions: false))
        case 12: return .ping
        case 14: return .disconnect
        default: throw MalformedPacketError()
        }
    }

    private static func readConnect(_ fields: inout Fields) throws(MalformedPacketError) -> ClientPacket {
        guard try fields.text() == "MQTT", try fields.byte() == 5 else { throw MalformedPacketError() }
        _ = try fields.byte()
        _ = try fields.number()
        _ = try fields.properties()
        // Whose password it is does not matter here: everybody is let in.
        return .connect(clientID: try fields.text())
    }

    private static func readPublish(_ header: UInt8, _ fields: inout Fields) throws(MalformedPacketError) -> Publish {
        let topic = try fields.text()
        let quality = header >> 1 & 3
        guard quality < 2 else { throw MalformedPacketError() }
        let packet = quality == 1 ? try fields.number() : nil
        let properties = try fields.properties()
        return Publish(
            topic: topic, packet: packet, responseTopic: properties[0x08].map { String(decoding: $0, as: UTF8.self) },
            correlationData: properties[0x09], payload: fields.rest())
    }

    private static func readFilters(
        _ fields: inout Fields, haveOptions: Bool
    ) throws(MalformedPacketError) -> [String] {
        _ = try fields.properties()
        var filters: [String] = []
        while !fields.isAtEnd {
            filters.append(try fields.text())
            if haveOptions { _ = try fields.byte() }
        }
        return filters
    }
}

/// Reads the fields of a packet from first to last.
private struct Fields {
    private let bytes: [UInt8]
    private var position = 0

    init(bytes: [UInt8]) { self.bytes = bytes }

    var isAtEnd: Bool { position == bytes.count }

    mutating func byte() throws(MalformedPacketError) -> UInt8 {
        guard position < bytes.count else { throw MalformedPacketError() }
        position += 1
        return bytes[position - 1]
    }

    mutating func number() throws(MalformedPacketError) -> UInt16 {
        let high = try byte()
        return UInt16(high) << 8 | UInt16(try byte())
    }

    mutating func take(_ count: Int) throws(MalformedPacketError) -> [UInt8] {
        guard count <= bytes.count - position else { throw MalformedPacketError() }
        position += count
        return Array(bytes[(position - count)..<position])
    }

    mutating func text() throws(MalformedPacketError) -> String {
        let count = Int(try number())
        return String(decoding: try take(count), as: UTF8.self)
    }

    mutating func rest() -> [UInt8] {
        defer { position = bytes.count }
        return Array(bytes[position...])
    }

    private mutating func variable() throws(MalformedPacketError) -> Int {
        var (value, shift) = (0, 0)
        while shift < 28 {
            let byte = try byte()
            value |= Int(byte & 0x7F) << shift
            shift += 7
            if byte & 0x80 == 0 { return value }
        }
        throw MalformedPacketError()
    }

    /// The properties that are texts or bytes, by their identifiers (MQTT 5 §2.2.2.2).
    mutating func properties() throws(MalformedPacketError) -> [UInt8: [UInt8]] {
        let length = try variable()
        let end = position + length
        guard end <= bytes.count else { throw MalformedPacketError() }
        var found: [UInt8: [UInt8]] = [:]
        while position < end {
            let identifier = try byte()
            switch identifier {
            case 0x01, 0x17, 0x19, 0x24, 0x25, 0x28, 0x29, 0x2A: _ = try byte()
            case 0x13, 0x21, 0x22, 0x23: _ = try number()
            case 0x02, 0x11, 0x18, 0x27: _ = try take(4)
            case 0x0B: _ = try variable()
            case 0x03, 0x08, 0x09, 0x12, 0x15, 0x16, 0x1A, 0x1C, 0x1F: found[identifier] = try take(Int(try number()))
            case 0x26:
                _ = try text()
                _ = try text()
            default: throw MalformedPacketError()
            }
        }
        guard position == end else { throw MalformedPacketError() }
        return found
    }
}
