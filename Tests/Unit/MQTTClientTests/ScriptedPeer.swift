import Foundation
import Glibc
import MQTTClient
import Synchronization

/// A peer that is no broker: it accepts one connection, reads what comes and answers with bytes that the test chose.
final class ScriptedPeer: Sendable {
    let path = "/tmp/peer-\(UInt32.random(in: 0 ... .max)).sock"
    private let listener: Int32
    /// The connection, when it is kept open.
    private let kept = Atomic<Int32>(-1)

    /// A CONNACK that accepts, without properties (MQTT 5 §3.2).
    static let accepted: [UInt8] = [0x20, 3, 0, 0, 0]

    init() throws {
        listener = socket(AF_UNIX, Int32(SOCK_STREAM.rawValue), 0)
        var address = sockaddr_un()
        address.sun_family = sa_family_t(AF_UNIX)
        let path = path
        unsafe withUnsafeMutableBytes(of: &address.sun_path) { unsafe $0.copyBytes(from: path.utf8) }
        let size = socklen_t(MemoryLayout<sockaddr_un>.size)
        let code = unsafe withUnsafePointer(to: &address) { address in
            unsafe address.withMemoryRebound(to: sockaddr.self, capacity: 1) { unsafe bind(listener, $0, size) }
        }
        guard code == 0, listen(listener, 4) == 0 else { throw ScriptedPeerError(errno: errno) }
    }

    deinit {
        if kept.load(ordering: .acquiring) >= 0 { close(kept.load(ordering: .acquiring)) }
        close(listener)
        unsafe unlink(path)
    }

    var configuration: MQTTConfiguration {
        MQTTConfiguration(endpoint: .unixSocket(path: path), clientID: "client")
    }

    /// A connection to the peer, which accepts it and answers with `bytes` behind that.
    func connect(
        answering bytes: [UInt8] = [], keepingOpen: Bool = false, _ change: (inout MQTTConfiguration) -> Void = { _ in }
    ) throws -> MQTTConnection {
        answer(ScriptedPeer.accepted + bytes, keepingOpen: keepingOpen)
        var configuration = configuration
        change(&configuration)
        let connection = try MQTTConnection(configuration)
        try connection.connect(timeout: .seconds(10))
        return connection
    }

    /// On a thread of its own: accepts, and sends each answer after having read something. Then it closes, unless it is
    /// to keep the connection for ``take(_:)``.
    func answer(_ answers: [UInt8]..., keepingOpen: Bool = false) {
        Thread.detachNewThread { [self] in
            let peer = accept(listener, nil, nil)
            if keepingOpen { kept.store(peer, ordering: .releasing) }
            defer { if !keepingOpen { close(peer) } }
            for answer in answers {
                var buffer = [UInt8](repeating: 0, count: 4096)
                guard unsafe read(peer, &buffer, buffer.count) > 0 else { return }
                _ = unsafe send(peer, answer, answer.count, Int32(MSG_NOSIGNAL))
            }
        }
    }

    /// Takes `count` bytes from the kept connection.
    func take(_ count: Int) {
        var buffer = [UInt8](repeating: 0, count: count)
        let taken = unsafe recv(kept.load(ordering: .acquiring), &buffer, count, Int32(MSG_WAITALL))
        precondition(taken == count)
    }
}

struct ScriptedPeerError: Error {
    let errno: Int32
}
