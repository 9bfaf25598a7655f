import MQTTWire
import Foundation
import Glibc
import Synchronization

/// Stands on a Unix socket before another and passes bytes on, each connection by two threads of its own. On demand it
/// swallows what is sent to a client of a name: a connection that looks healthy and delivers nothing.
final class SocketProxy: Sendable {
    private let listener: CInt
    private let inner: String
    private let name: [UInt8]
    private let count = Atomic<Int>(0)
    /// What is sent to the named client is swallowed on connections up to this one.
    private let swallowed = Atomic<Int>(0)

    private final class Passage: Sendable {
        let client: CInt
        let server: CInt
        let number: Int
        let isNamed = Atomic<Bool>(false)
        private let ended = Atomic<Int>(0)

        init(client: CInt, server: CInt, number: Int) {
            (self.client, self.server, self.number) = (client, server, number)
        }

        /// One of the two threads has ended; the second closes the descriptors.
        func end() {
            guard ended.wrappingAdd(1, ordering: .acquiringAndReleasing).newValue == 2 else { return }
            close(client)
            close(server)
        }
    }

    /// - Parameter name: what stands in the first bytes of the client concerned.
    init(at path: String, to inner: String, name: String) throws {
        self.inner = inner
        self.name = Array(name.utf8)
        listener = try Socket.listen(onUnixSocket: path)
        Thread.detachNewThread { [self] in accept() }
    }

    /// Ends with the accepting; what is passed on goes on until its ends close.
    func stop() { shutdown(listener, CInt(SHUT_RDWR)) }

    /// From now on nothing reaches the named client on the connections that it has.
    func swallow() { swallowed.store(count.load(ordering: .relaxed), ordering: .relaxed) }

    private func accept() {
        while true {
            let client = Glibc.accept(listener, nil, nil)
            guard client >= 0 else { break }
            // The server may not be there yet: the client tries again.
            guard let server = try? Socket.connect(toUnixSocket: inner) else {
                close(client)
                continue
            }
            let number = count.wrappingAdd(1, ordering: .relaxed).newValue
            let passage = Passage(client: client, server: server, number: number)
            Thread.detachNewThread { [self] in
                pass(from: client, to: server) { bytes in
                    if bytes.contains(name) { passage.isNamed.store(true, ordering: .relaxed) }
                    return true
                }
                passage.end()
            }
            Thread.detachNewThread { [self] in
                pass(from: server, to: client) { _ in
                    !passage.isNamed.load(ordering: .relaxed) || passage.number > swallowed.load(ordering: .relaxed)
                }
                passage.end()
            }
        }
        close(listener)
    }

    private func pass(from source: CInt, to target: CInt, _ isPassed: (ArraySlice<UInt8>) -> Bool) {
        var buffer = [UInt8](repeating: 0, count: 65_536)
        while true {
            let count = unsafe read(source, &buffer, buffer.count)
            guard count > 0 else { break }
            guard isPassed(buffer[..<count]) else { continue }
            var sent = 0
            while sent < count {
                let rest = Array(buffer[sent..<count])
                let written = unsafe send(target, rest, rest.count, Int32(MSG_NOSIGNAL))
                guard written > 0 else { break }
                sent += written
            }
            guard sent == count else { break }
        }
        shutdown(target, CInt(SHUT_RDWR))
        shutdown(source, CInt(SHUT_RDWR))
    }
}
