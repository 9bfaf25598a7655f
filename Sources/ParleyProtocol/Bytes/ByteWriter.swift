/// Writes the form that ``ByteReader`` reads: numbers big-endian, an id with its length in one byte before it.
package struct ByteWriter {
    package private(set) var bytes: [UInt8]

    /// - Parameter capacity: for secret bytes, their exact number: growing leaves copies behind.
    package init(capacity: Int = 0) {
        bytes = []
        bytes.reserveCapacity(capacity)
    }

    package mutating func byte(_ byte: UInt8) { bytes.append(byte) }

    /// The lowest `count` bytes of a number.
    package mutating func number(_ number: UInt64, bytes count: Int) {
        for index in 0..<count {
            bytes.append(UInt8(truncatingIfNeeded: number >> (8 * UInt64(count - 1 - index))))
        }
    }

    package mutating func bytes(_ more: some Sequence<UInt8>) { bytes.append(contentsOf: more) }

    package mutating func bytes(_ more: Span<UInt8>) {
        for index in 0..<more.count { bytes.append(more[index]) }
    }

    package mutating func id(_ id: some LevelIdentifier) {
        bytes.append(UInt8(truncatingIfNeeded: id.text.utf8.count))
        bytes.append(contentsOf: id.text.utf8)
    }

    /// A field of protocol §6: its length in 16 bits before it.
    package mutating func field(_ bytes: some Collection<UInt8>) {
        number(UInt64(bytes.count), bytes: 2)
        self.bytes(bytes)
    }

    /// The fields that a statement about a device is made of (protocol §6): its label, uid, did and the rest.
    static func preimage(_ label: String, _ address: DeviceAddress, _ parts: [UInt8]...) -> [UInt8] {
        var writer = ByteWriter()
        for text in [label, address.user.text, address.device.text] { writer.field(text.utf8) }
        for part in parts { writer.field(part) }
        return writer.bytes
    }

    package mutating func address(_ address: DeviceAddress) {
        id(address.user)
        id(address.device)
    }
}
