import Foundation
import HTTPDoubles
import MQTTWire
import Platform
import Synchronization

/// Stands before a service on this machine, which is away while a test says so: connections end, new ones at once.
final class ServiceProxy: Sendable {
    private struct State {
        var isAway = false
        /// Of the connections that are there.
        var open: Set<Int32> = []
    }

    private final class Connections: Sendable {
        let state = Mutex(State())
    }

    private let connections = Connections()
    private let listener: Listener
    var port: Int { listener.port }

    init(to port: UInt16) throws {
        listener = try Listener { [connections] client in
            guard let server = try? Socket.connect(toLoopbackPort: port, blocks: true) else { return }
            defer { Socket.close(server) }
            let isOpen = connections.state.withLock { state in
                guard !state.isAway else { return false }
                return state.open.insert(client).inserted
            }
            guard isOpen else { return }
            defer { _ = connections.state.withLock { $0.open.remove(client) } }
            let answered = DispatchSemaphore(value: 0)
            Thread.detachNewThread {
                ServiceProxy.pass(from: server, to: client)
                answered.signal()
            }
            ServiceProxy.pass(from: client, to: server)
            answered.wait()
        }
    }

    deinit { listener.close() }

    func setAway(_ isAway: Bool) {
        connections.state.withLock { state in
            state.isAway = isAway
            guard isAway else { return }
            for client in state.open { shutdown(client, Int32(SHUT_RDWR)) }
        }
    }

    /// Until one of them ends; then both do.
    private static func pass(from source: Int32, to target: Int32) {
        var buffer = [UInt8](repeating: 0, count: 65_536)
        while true {
            let count = unsafe read(source, &buffer, buffer.count)
            guard count > 0 else { break }
            var sent = 0
            while sent < count {
                let written = unsafe buffer[sent..<count].withUnsafeBytes { bytes in
                    unsafe send(target, bytes.baseAddress, bytes.count, Int32(MSG_NOSIGNAL))
                }
                guard written > 0 else { break }
                sent += written
            }
            guard sent == count else { break }
        }
        shutdown(target, Int32(SHUT_RDWR))
        shutdown(source, Int32(SHUT_RDWR))
    }
}
