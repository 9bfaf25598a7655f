/// The fields of packets (MQTT 5 §1.5), written one after the other.
extension [UInt8] {
    package mutating func append(word value: UInt16) {
        append(UInt8(value >> 8))
        append(UInt8(value & 0xFF))
    }

    package mutating func append(doubleWord value: UInt32) {
        append(word: UInt16(value >> 16))
        append(word: UInt16(value & 0xFFFF))
    }

    /// - Parameter value: at most ``PacketHeader/longestBody``.
    package mutating func append(variableInteger value: Int) {
        var rest = value
        repeat {
            append(UInt8(rest & 0x7F) | (rest > 0x7F ? 0x80 : 0))
            rest >>= 7
        } while rest > 0
    }

    /// Bytes behind their count.
    package mutating func append(field bytes: some Collection<UInt8>) throws(WireError) {
        guard let count = UInt16(exactly: bytes.count) else { throw .tooLong }
        append(word: count)
        append(contentsOf: bytes)
    }

    /// What `write` appends, behind its length.
    package mutating func appendProperties(_ write: (inout [UInt8]) throws(WireError) -> Void) throws(WireError) {
        var properties: [UInt8] = []
        try write(&properties)
        append(variableInteger: properties.count)
        append(contentsOf: properties)
    }

    /// A packet with its fixed header (§2.1), whose body is what `write` appends. It is all or nothing.
    package mutating func appendPacket(
        _ first: UInt8, _ write: (inout [UInt8]) throws(WireError) -> Void
    ) throws(WireError) {
        let start = count
        do throws(WireError) {
            try write(&self)
            guard count - start <= PacketHeader.longestBody else { throw .tooLong }
        } catch {
            removeLast(count - start)
            throw error
        }
        var header = [first]
        header.append(variableInteger: count - start)
        insert(contentsOf: header, at: start)
    }
}
