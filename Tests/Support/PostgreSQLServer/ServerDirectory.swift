import Foundation
import Launch
import Platform

/// A server's folder: its data, its socket, its log. Removed with the value.
final class ServerDirectory: Sendable {
    /// Not in `TMPDIR`, which another user may not be able to enter. Short: a socket's path may have 107 bytes.
    let path = "/tmp/parley-pg-\(String(UInt64.random(in: 0 ... .max), radix: 36))"

    var data: String { path + "/data" }
    var log: String { path + "/log" }

    init() throws {
        try FileManager.default.createDirectory(
            atPath: path, withIntermediateDirectories: false, attributes: [.posixPermissions: 0o700])
        try ServerPrograms.hand(path)
    }

    deinit { remove() }

    func remove() { try? FileManager.default.removeItem(atPath: path) }

    /// What was logged, of which the end says why a server did not start.
    var logged: String { (try? String(contentsOfFile: log, encoding: .utf8)) ?? "" }

    /// Writes a file that the server reads and nobody else.
    func write(_ text: String, to name: String) throws {
        let path = "\(path)/\(name)"
        let attributes: [FileAttributeKey: Any] = [.posixPermissions: 0o600]
        guard FileManager.default.createFile(atPath: path, contents: Data(text.utf8), attributes: attributes) else {
            throw StartError("PostgreSQL", "\(path) cannot be written")
        }
        try ServerPrograms.hand(path)
    }

    /// A new cluster with the superuser `parley`, whom everybody who reaches the socket may be. One with small segments
    /// is a copy of one that is made once for the process, as `initdb` takes ten times as long.
    func initialize(segmentMegabytes: Int) throws {
        guard segmentMegabytes == ServerOptions.smallSegment else {
            return try makeCluster(segmentMegabytes: segmentMegabytes)
        }
        try copy(path: try ServerDirectory.newCluster.get().data, to: data)
    }

    /// Copies a folder in this one, in the place of what there may be.
    func copy(_ name: String, to other: String) throws {
        try? FileManager.default.removeItem(atPath: "\(path)/\(other)")
        try copy(path: "\(path)/\(name)", to: "\(path)/\(other)")
    }

    private func copy(path source: String, to target: String) throws {
        let copy = try ChildProcess("/bin/cp", ["-a", source, target], errors: log)
        guard copy.waitUntilEnded() == 0 else { throw StartError("cp", String(logged.suffix(2000))) }
    }

    /// A copy of a server's cluster that follows it, in place of what is here.
    func copy(_ server: ServerDirectory) throws {
        try? FileManager.default.removeItem(atPath: data)
        try run(
            "pg_basebackup",
            [
                "--host=\(server.path)", "--username=\(PostgreSQLServer.user)", "--pgdata=\(data)",
                "--checkpoint=fast", "--wal-method=stream", "--write-recovery-conf", "--no-sync",
            ])
    }

    /// Takes back what a server does not have, and follows it.
    func rewind(to server: ServerDirectory) throws {
        try run(
            "pg_rewind",
            [
                "--target-pgdata=\(data)", "--write-recovery-conf", "--no-sync",
                "--source-server=host=\(server.path) user=\(PostgreSQLServer.user) dbname=postgres",
            ])
    }

    private func run(_ program: String, _ arguments: [String]) throws {
        let child = try ServerPrograms.launch(program, arguments, log: log)
        guard child.waitUntilEnded() == 0 else { throw StartError(program, String(logged.suffix(2000))) }
    }

    private static let newCluster = Result<ServerDirectory, any Error> {
        let directory = try ServerDirectory()
        // What lives as long as the process is never deinitialized.
        atexit { ServerDirectory.removeCluster() }
        try directory.makeCluster(segmentMegabytes: ServerOptions.smallSegment)
        return directory
    }

    private static func removeCluster() { try? newCluster.get().remove() }

    /// `initdb`. A new cluster is a file of the WAL for the greater part. `pg_rewind` needs checksums.
    private func makeCluster(segmentMegabytes: Int) throws {
        try run(
            "initdb",
            [
                "--pgdata=\(data)", "--username=\(PostgreSQLServer.user)", "--auth=trust", "--encoding=UTF8",
                "--no-locale", "--no-sync", "--wal-segsize=\(segmentMegabytes)", "--data-checksums",
            ])
    }
}
