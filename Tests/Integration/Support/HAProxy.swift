import Foundation
import Launch
import MQTTWire
import Platform
import Synchronization
import TestSupport

/// HAProxy before the cells of a gateway, by the configuration of production: it sends a user to one cell by the name.
final class HAProxy: Sendable {
    /// Devices come here.
    let port: UInt16
    private let files: ServiceFiles
    private let running = Mutex<(child: ChildProcess, servers: [UInt16])?>(nil)

    /// - Parameter directory: where its files are to lie; nothing is started.
    init(in directory: String) throws {
        port = try freePort()
        files = ServiceFiles("haproxy", in: directory)
    }

    private static let program = "/usr/sbin/haproxy"
    private static let template = URL(filePath: Programs.brokerTemplate).deletingLastPathComponent()
        .appending(path: "haproxy.cfg")

    private var configuration: String { files.directory + "/haproxy.cfg" }
    private var commands: String { files.directory + "/haproxy.sock" }

    /// Starts it, and returns when it listens. One that has these servers already goes on.
    func start(before servers: [UInt16]) throws {
        if running.withLock({ $0?.servers == servers && $0?.child.isRunning == true }) { return }
        running.withLock { $0 = nil }
        try Data(configuration(for: servers).utf8).write(to: URL(filePath: configuration))
        let child = try files.launch(HAProxy.program, ["-db", "-f", configuration])
        try child.awaitStart("haproxy", said: files.errors) {
            guard let socket = try? Socket.connect(toLoopbackPort: port) else { return false }
            Socket.close(socket)
            return true
        }
        running.withLock { $0 = (child, servers) }
    }

    /// As `scripts/run-cells.sh` writes it: without TLS, without another user, and without limits by address, since
    /// everybody has the same one.
    private func configuration(for servers: [UInt16]) throws -> String {
        let left = ["chroot ", "user ", "group ", "bind ipv6@", "tcp-request connection reject"]
        let lines = try String(contentsOf: HAProxy.template, encoding: .utf8).split(
            separator: "\n", omittingEmptySubsequences: false)
        return lines.flatMap { line -> [String] in
            let words = line.drop { $0 == " " }
            if left.contains(where: words.hasPrefix) { return [] }
            if words == "global" { return ["global", "    stats socket '\(commands)' mode 600 level admin"] }
            // As many as one test needs: the programs of several run beside each other.
            if words.hasPrefix("maxconn ") { return ["    maxconn 4000"] }
            if words.hasPrefix("bind ") { return ["    bind 127.0.0.1:\(port) tcp-ut 30s"] }
            guard words.hasPrefix("server ") else { return [String(line)] }
            return servers.enumerated().map { "    server cell-\($0 + 1) 127.0.0.1:\($1) check" }
        }.joined(separator: "\n")
    }

    /// Returns when it sends devices to every cell.
    func awaitServers() throws {
        let count = running.withLock { $0?.servers.count ?? 0 }
        try eventually("HAProxy's \(count) servers") { try states() == Array(repeating: "UP", count: count) ? () : nil }
    }

    /// Of each server, in CSV's column 18.
    private func states() throws -> [Substring] {
        try ask("show stat").split(separator: "\n").compactMap { line in
            let fields = line.split(separator: ",", omittingEmptySubsequences: false)
            return fields.count > 17 && fields[0] == "broker" && fields[1] != "BACKEND" ? fields[17] : nil
        }
    }

    private func ask(_ command: String) throws -> String {
        let socket = try Socket.connect(toUnixSocket: commands)
        defer { Socket.close(socket) }
        _ = try Socket.send(socket, Array("\(command)\n".utf8), from: 0)
        var (answer, part): ([UInt8], [UInt8]) = ([], [UInt8](repeating: 0, count: 16_384))
        // It closes behind its answer, which is how this ends.
        while let count = try? Socket.receive(socket, into: &part, at: 0) { answer += part[..<count] }
        return String(decoding: answer, as: UTF8.self)
    }
}
