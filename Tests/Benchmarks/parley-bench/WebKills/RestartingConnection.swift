import GatewaySite
import MQTTWire
import Platform

/// A connection to a door that is killed now and then: made again until it holds.
struct RestartingConnection {
    let port: UInt16
    private var socket: DeviceSocket?
    private var retryAt: Int64 = 0
    private(set) var connections = 0

    /// Between attempts, in nanoseconds.
    private static let pause: Int64 = 20_000_000

    init(port: UInt16) { self.port = port }

    var isOpen: Bool { socket != nil }
    /// To wait for; -1, which `poll` ignores, while there is none.
    var descriptor: Int32 { socket?.descriptor ?? -1 }

    /// - Returns: whether it has been made now.
    mutating func open() -> Bool {
        guard socket == nil, MonotonicTime.now >= retryAt else { return false }
        retryAt = MonotonicTime.now + Self.pause
        socket = try? DeviceSocket(toLoopbackPort: port)
        if isOpen { connections += 1 }
        return isOpen
    }

    /// Sends all of a request, which is smaller than the socket's buffer; one that is not taken ends the connection.
    mutating func send(_ bytes: [UInt8]) {
        socket?.output = bytes
        if (try? socket?.flush()) != true { close() }
    }

    /// - Returns: where what has come ends in `input`, with what was kept before it; `nil` when the connection is over.
    mutating func read(into input: inout [UInt8]) -> Int? {
        if let end = try? socket?.read(into: &input) { return end }
        close()
        return nil
    }

    mutating func keep(_ rest: ArraySlice<UInt8>) { socket?.keep(rest) }

    mutating func close() {
        if let socket { Socket.close(socket.descriptor) }
        socket = nil
    }
}
