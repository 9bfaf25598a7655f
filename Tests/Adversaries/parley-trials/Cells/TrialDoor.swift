import Foundation
import GatewaySite
import Launch
import MQTTWire

/// HAProxy in front of cells, by the template of production: it sends each user to one, and to the others when that
/// one does not answer.
final class TrialDoor {
    let port: UInt16
    private let folder: String
    private let haproxy: ChildProcess

    private static let program = "/usr/sbin/haproxy"

    /// Starts it.
    ///
    /// - Parameter template: of the broker's configuration, beside which HAProxy's lies.
    init(_ cells: [TrialCell], in folder: String, template: String) throws {
        self.folder = folder
        port = try freePort()
        let path = URL(filePath: template).deletingLastPathComponent().appending(path: "haproxy.cfg").path
        let text = try String(contentsOfFile: path, encoding: .utf8)
        let configuration = TrialDoor.configuration(text, cells, port: port, folder: folder)
        try configuration.write(toFile: folder + "/haproxy.cfg", atomically: false, encoding: .utf8)
        let files = ServiceFiles("haproxy", in: folder)
        haproxy = try files.launch(TrialDoor.program, ["-db", "-f", folder + "/haproxy.cfg"])
        let port = port
        try haproxy.awaitStart("haproxy", said: files.errors) {
            guard let socket = try? Socket.connect(toLoopbackPort: port) else { return false }
            Socket.close(socket)
            return true
        }
    }

    /// On loopback without TLS, for one user of this machine, without limits by address, and with a server for each
    /// cell; as `scripts/run-cells.sh` has it.
    private static func configuration(
        _ template: String, _ cells: [TrialCell], port: UInt16, folder: String
    ) -> String {
        let unwanted = ["chroot ", "user ", "group ", "bind ipv6@", "tcp-request connection reject", "maxconn "]
        let servers = cells.map { "    server \($0.name) \($0.host):\($0.port) check" }
        return template.split(separator: "\n", omittingEmptySubsequences: false).flatMap { line -> [String] in
            let words = line.drop { $0 == " " }
            if unwanted.contains(where: words.hasPrefix) { return [] }
            if words.hasPrefix("bind ") { return ["    bind 127.0.0.1:\(port) tcp-ut 30s"] }
            if words.hasPrefix("server ") { return servers }
            if line == "global" {
                return ["global", "    maxconn 1000", "    stats socket \(folder)/haproxy.sock mode 600 level admin"]
            }
            return [String(line)]
        }.joined(separator: "\n")
    }

    /// Whether it sends users to a cell.
    func isUp(_ cell: TrialCell) -> Bool {
        guard let socket = try? Socket.connect(toUnixSocket: folder + "/haproxy.sock") else { return false }
        defer { Socket.close(socket) }
        var answer = [UInt8](repeating: 0, count: 64 << 10)
        var length = 0
        guard (try? Socket.send(socket, Array("show stat\n".utf8), from: 0)) != nil else { return false }
        // It ends the connection behind the answer.
        while length < answer.count, let count = try? Socket.receive(socket, into: &answer, at: length) {
            length += count
        }
        let lines = String(decoding: answer[..<length], as: UTF8.self).split(separator: "\n")
        return lines.contains { line in
            let fields = line.split(separator: ",", omittingEmptySubsequences: false)
            return fields.count > 17 && fields[0] == "broker" && fields[1] == cell.name && fields[17] == "UP"
        }
    }

    func end() { haproxy.end(grace: Site.grace) }
}
