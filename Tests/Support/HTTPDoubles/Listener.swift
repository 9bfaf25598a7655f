import Platform
import Synchronization

/// A TCP port on the loopback interface, with a thread for each connection.
package final class Listener: Sendable {
    private struct State {
        var open: Set<Int32> = []
        package var accepted = 0
        var isClosed = false
    }

    package let port: Int
    private let descriptor: Int32
    private let state: State_

    /// Shared with the threads, which may outlive the listener.
    private final class State_: Sendable {
        let value = Mutex(State())
    }

    /// - Parameter serve: is given each connection, on a thread of its own; when it returns the connection is closed.
    package init(_ serve: @escaping @Sendable (Int32) -> Void) throws {
        // A client that is gone while we write is an error, not the end of the process.
        signal(SIGPIPE, SIG_IGN)
        let descriptor = socket(AF_INET, StreamSocket.addressType, 0)
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
        var length = socklen_t(MemoryLayout<sockaddr_in>.size)
        let code = unsafe withUnsafeMutablePointer(to: &address) { pointer in
            unsafe pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { address in
                guard unsafe bind(descriptor, address, length) == 0, listen(descriptor, 512) == 0 else {
                    return Int32(-1)
                }
                return unsafe getsockname(descriptor, address, &length)
            }
        }
        guard code == 0 else { throw SystemError(call: "bind", errno: errno) }
        port = Int(UInt16(bigEndian: address.sin_port))
        self.descriptor = descriptor
        let state = State_()
        self.state = state
        // It ends when the listener is closed.
        try LoopThread.detach(name: "double") {
            while true {
                let connection = accept(descriptor, nil, nil)
                guard connection >= 0 else { break }
                Listener.serve(connection, state, serve)
            }
            _ = Platform.close(descriptor)
        }
    }

    /// How many connections there were.
    package var accepted: Int { state.value.withLock { $0.accepted } }
    /// How many there are.
    package var open: Int { state.value.withLock { $0.open.count } }

    /// Ends all connections.
    package func close() {
        state.value.withLock { state in
            guard !state.isClosed else { return }
            state.isClosed = true
            shutdown(descriptor, Int32(SHUT_RDWR))
            for connection in state.open { shutdown(connection, Int32(SHUT_RDWR)) }
        }
    }

    private static func serve(_ connection: Int32, _ state: State_, _ serve: @escaping @Sendable (Int32) -> Void) {
        var isOn: Int32 = 1
        unsafe setsockopt(
            connection, Int32(IPPROTO_TCP), TCP_NODELAY, &isOn, socklen_t(MemoryLayout.size(ofValue: isOn)))
        let isOpen = state.value.withLock { state in
            guard !state.isClosed else { return false }
            state.accepted += 1
            return state.open.insert(connection).inserted
        }
        let end: @Sendable () -> Void = {
            state.value.withLock { state in
                state.open.remove(connection)
                _ = Platform.close(connection)
            }
        }
        do {
            guard isOpen else { return end() }
            // It ends when the client or the listener closes the connection, or `serve` returns.
            try LoopThread.detach(name: "double") {
                serve(connection)
                end()
            }
        } catch {
            end()
        }
    }
}
