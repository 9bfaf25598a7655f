import Foundation
import Glibc
import PostgreSQL

/// A peer that is no PostgreSQL: it accepts connections, reads what comes, and answers with bytes that the test chose.
final class ScriptedServer: Sendable {
    private let folder = "/tmp/parley-\(String(UInt64.random(in: 0 ... .max), radix: 36))"
    private let listener: Int32

    var uri: String { "postgres://user@\(folder.replacing("/", with: "%2F"))/x" }

    init() throws {
        try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: false)
        listener = socket(AF_UNIX, Int32(SOCK_STREAM.rawValue), 0)
        var address = sockaddr_un()
        address.sun_family = sa_family_t(AF_UNIX)
        let path = "\(folder)/.s.PGSQL.5432"
        unsafe withUnsafeMutableBytes(of: &address.sun_path) { unsafe $0.copyBytes(from: path.utf8) }
        let size = socklen_t(MemoryLayout<sockaddr_un>.size)
        let code = unsafe withUnsafePointer(to: &address) { address in
            unsafe address.withMemoryRebound(to: sockaddr.self, capacity: 1) { unsafe bind(listener, $0, size) }
        }
        guard code == 0, listen(listener, 16) == 0 else { throw POSIXError(.init(rawValue: errno) ?? .EIO) }
    }

    deinit {
        close(listener)
        try? FileManager.default.removeItem(atPath: folder)
    }

    /// On a thread of its own: accepts one connection, and gives one answer each time that it has read something. Then
    /// it reads on until the peer is gone, or closes at once.
    func answer(_ answers: [[UInt8]], thenCloses: Bool = false) {
        Thread.detachNewThread { [self] in
            let peer = accept(listener, nil, nil)
            defer { close(peer) }
            var buffer = [UInt8](repeating: 0, count: 65_536)
            for answer in answers {
                guard unsafe read(peer, &buffer, buffer.count) > 0 else { return }
                _ = unsafe send(peer, answer, answer.count, Int32(MSG_NOSIGNAL))
            }
            while !thenCloses, unsafe read(peer, &buffer, buffer.count) > 0 {}
        }
    }
}

/// Messages of the protocol (PostgreSQL 15, §55.7).
enum ServerMessage {
    static func make(_ type: Character, _ body: [UInt8] = []) -> [UInt8] {
        [type.asciiValue ?? 0] + number(UInt32(body.count + 4)) + body
    }

    static func number(_ value: UInt32) -> [UInt8] { (0..<4).map { UInt8(value >> (24 - 8 * UInt32($0)) & 0xFF) } }

    static func text(_ text: String) -> [UInt8] { Array(text.utf8) + [0] }

    static func setting(_ name: String, _ value: String) -> [UInt8] { make("S", text(name) + text(value)) }

    static let ready = make("Z", [UInt8(ascii: "I")])

    static func error(_ code: String, _ message: String = "no") -> [UInt8] {
        make("E", text("SERROR") + text("C\(code)") + text("M\(message)") + [0])
    }

    /// Accepts whoever comes.
    static let welcome =
        make("R", number(0)) + setting("server_version", "15.0") + setting("in_hot_standby", "off")
        + setting("default_transaction_read_only", "off") + setting("client_encoding", "UTF8")
        + make("K", number(1) + number(2)) + ready

    /// To a statement being prepared: it has one parameter of this type and one column of another.
    static func prepared(parameter: UInt32?, column: UInt32) -> [UInt8] {
        let parameters = parameter.map { [0, 1] + number($0) } ?? [0, 0]
        return make("1") + make("t", parameters) + rowDescription(column)
    }

    static func rowDescription(_ column: UInt32, format: UInt8 = 1) -> [UInt8] {
        make("T", [0, 1] + text("c") + number(0) + [0, 0] + number(column) + [0, 8] + number(0) + [0, format])
    }

    /// A row of one value.
    static func row(_ value: [UInt8]) -> [UInt8] { make("D", [0, 1] + number(UInt32(value.count)) + value) }

    static func done(_ tag: String) -> [UInt8] { make("C", text(tag)) }
}
