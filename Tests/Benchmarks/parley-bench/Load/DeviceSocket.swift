import MQTTWire

/// The socket of a device, with its unwritten output and the beginning of an unfinished packet.
struct DeviceSocket {
    let descriptor: Int32
    var output: [UInt8] = []
    /// Whether `output` may hold something to write.
    var isDirty = false
    /// How much of `output` is written.
    private var written = 0
    private var partial: [UInt8] = []

    init(toLoopbackPort port: UInt16) throws { descriptor = try Socket.connect(toLoopbackPort: port) }

    /// Writes as much of what waits as the socket takes.
    ///
    /// - Returns: whether that is all.
    mutating func flush() throws -> Bool {
        let count = output.count
        written += try Socket.send(descriptor, output, from: written)
        guard written == count else { return false }
        output.removeAll(keepingCapacity: true)
        written = 0
        return true
    }

    /// Reads behind the kept beginning of a packet.
    ///
    /// - Returns: where it ends in `input`, which it begins.
    mutating func read(into input: inout [UInt8]) throws -> Int {
        let kept = partial.count
        if kept > 0 {
            input.replaceSubrange(0..<kept, with: partial)
            partial.removeAll(keepingCapacity: true)
        }
        return try kept + Socket.receive(descriptor, into: &input, at: kept)
    }

    /// Keeps the beginning of a packet until the rest of it is read.
    mutating func keep(_ rest: ArraySlice<UInt8>) { partial += rest }
}
