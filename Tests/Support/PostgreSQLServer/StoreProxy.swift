import Foundation
import MQTTWire
import Platform
import Synchronization

/// Stands between a cell and PostgreSQL, on a Unix socket in a folder of its own, and passes on what a test lets pass:
/// late, without notifications, or nothing while it is held. Each connection is served by two threads.
package final class StoreProxy: Sendable {
    /// The folder that is the host for libpq.
    package let folder: String
    private let server: String
    private let listener: CInt
    private let state = Mutex(State())
    /// Notifications that were left out.
    private let dropped = Atomic<Int>(0)

    private struct State {
        var dropsNotifications = false
        var isHeld = false
        /// In microseconds.
        var longestDelay: UInt32 = 0
    }

    /// libpq makes the name of the port, which is its default.
    private static let socket = ".s.PGSQL.5432"

    /// - Parameter server: the folder of the server's socket.
    package init(server: String) throws {
        folder = "/tmp/parley-proxy-\(String(UInt64.random(in: 0 ... .max), radix: 36))"
        self.server = server
        try FileManager.default.createDirectory(
            atPath: folder, withIntermediateDirectories: false, attributes: [.posixPermissions: 0o700])
        listener = try Socket.listen(onUnixSocket: "\(folder)/\(StoreProxy.socket)")
        // Holds the parts and not the proxy, which ends the thread when it goes.
        Thread.detachNewThread { [weak self, listener] in
            while true {
                let client = Platform.accept(listener, nil, nil)
                guard client >= 0, let self else { break }
                self.serve(client)
            }
            close(listener)
        }
    }

    deinit {
        shutdown(listener, CInt(SHUT_RDWR))
        try? FileManager.default.removeItem(atPath: folder)
    }

    package var droppedCount: Int { dropped.load(ordering: .relaxed) }

    /// From now on no notification reaches the cell.
    package func dropNotifications() { state.withLock { $0.dropsNotifications = true } }

    /// From now on each part of what is passed on waits for a random time up to this.
    package func delay(upTo milliseconds: UInt32) { state.withLock { $0.longestDelay = milliseconds * 1000 } }

    /// Passes on nothing, in either direction, until `release`; connections stay.
    package func hold() { state.withLock { $0.isHeld = true } }

    package func release() { state.withLock { $0.isHeld = false } }

    private func serve(_ client: CInt) {
        // While the server is away its connections are refused.
        guard let server = try? Socket.connect(toUnixSocket: "\(server)/\(StoreProxy.socket)") else {
            close(client)
            return
        }
        let passage = Passage(client: client, server: server)
        Thread.detachNewThread { [self] in
            pass(from: client, to: server) { $0 }
            passage.end()
        }
        Thread.detachNewThread { [self] in
            var messages = ServerMessages()
            pass(from: server, to: client) { bytes in
                guard state.withLock({ $0.dropsNotifications }) else { return messages.passAll(bytes) }
                let (rest, count) = messages.withoutNotifications(bytes)
                dropped.wrappingAdd(count, ordering: .relaxed)
                return rest
            }
            passage.end()
        }
    }

    private func pass(from source: CInt, to target: CInt, _ change: ([UInt8]) -> [UInt8]) {
        var buffer = [UInt8](repeating: 0, count: 65_536)
        while true {
            let count = unsafe read(source, &buffer, buffer.count)
            guard count > 0 else { break }
            awaitPassage()
            let bytes = change(Array(buffer[..<count]))
            var sent = 0
            while sent < bytes.count {
                let rest = Array(bytes[sent...])
                let written = unsafe send(target, rest, rest.count, Int32(MSG_NOSIGNAL))
                guard written > 0 else { break }
                sent += written
            }
            guard sent == bytes.count else { break }
        }
        shutdown(target, CInt(SHUT_RDWR))
        shutdown(source, CInt(SHUT_RDWR))
    }

    /// Waits as long as the test has things wait.
    private func awaitPassage() {
        let longest = state.withLock { $0.longestDelay }
        if longest > 0 { usleep(UInt32.random(in: 0...longest)) }
        while state.withLock({ $0.isHeld }) { usleep(1_000) }
    }

    /// The two descriptors of a connection, closed when both its threads have ended.
    private final class Passage: Sendable {
        private let client: CInt
        private let server: CInt
        private let ended = Atomic<Int>(0)

        init(client: CInt, server: CInt) { (self.client, self.server) = (client, server) }

        func end() {
            guard ended.wrappingAdd(1, ordering: .acquiringAndReleasing).newValue == 2 else { return }
            close(client)
            close(server)
        }
    }
}

/// What a server sends, cut into messages: a byte of type, four of length, which count themselves, and the rest
/// (PostgreSQL 15, "Message Formats"). On a Unix socket libpq asks for no encryption, so there is nothing before them.
private struct ServerMessages {
    /// The beginning of a message that is not all there.
    private var incomplete: [UInt8] = []

    private static let notification = UInt8(ascii: "A")

    /// Everything that came, and what was kept back.
    mutating func passAll(_ bytes: [UInt8]) -> [UInt8] {
        let (rest, _) = split(bytes) { _ in true }
        return rest
    }

    /// - Returns: with how many were left out.
    mutating func withoutNotifications(_ bytes: [UInt8]) -> (rest: [UInt8], count: Int) {
        split(bytes) { $0 != ServerMessages.notification }
    }

    private mutating func split(_ bytes: [UInt8], _ isPassed: (UInt8) -> Bool) -> (rest: [UInt8], count: Int) {
        incomplete += bytes
        var (passed, begin, count): ([UInt8], Int, Int) = ([], 0, 0)
        while incomplete.count - begin >= 5 {
            let length = incomplete[(begin + 1)..<(begin + 5)].reduce(0) { $0 << 8 | Int($1) }
            guard incomplete.count - begin > length else { break }
            let end = begin + 1 + length
            if isPassed(incomplete[begin]) { passed += incomplete[begin..<end] } else { count += 1 }
            begin = end
        }
        incomplete.removeFirst(begin)
        return (passed, count)
    }
}
