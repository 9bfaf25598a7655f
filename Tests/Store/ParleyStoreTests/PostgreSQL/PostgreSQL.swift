import ParleyProtocol
import TestSupport
import Foundation
import TestNames
import Testing

/// A PostgreSQL of a test's own: Debian's, on a database that is made for one run and removed after it, without a port,
/// a socket or a server that could outlive the test.
struct PostgreSQL {
    private let programs: String

    /// Where it is not installed, tests that need it are skipped; `PARLEY_POSTGRESQL=required` says that it must be
    /// there.
    static var isExpected: Bool {
        let environment = ProcessInfo.processInfo.environment
        return newest != nil || environment["PARLEY_POSTGRESQL"] == "required" || environment["CI"] == "true"
    }

    /// The folder of the newest release, of at least 15.
    private static var newest: String? {
        let root = "/usr/lib/postgresql"
        let releases = (try? FileManager.default.contentsOfDirectory(atPath: root))?.compactMap(Int.init) ?? []
        return releases.filter { $0 >= 15 }.sorted().map { "\(root)/\($0)/bin" }
            .last { FileManager.default.isExecutableFile(atPath: $0 + "/initdb") }
    }

    init() throws { programs = try #require(PostgreSQL.newest, "apt-get install postgresql") }

    /// What came of a session.
    struct Outcome {
        /// What was refused, and why.
        let refusals: [(statement: String, reason: String)]
        /// All values that were asked for, in order.
        let values: [String]
    }

    /// Makes a database and runs statements in it, each on its own.
    ///
    /// - Parameter statements: each on one line. What they give is one value a row.
    func run(_ statements: [String]) throws -> Outcome {
        let directory = try TemporaryDirectory()
        func file(_ name: String, _ text: String = "") throws -> FileHandle {
            let url = URL(filePath: directory.path + "/" + name)
            try Data(text.utf8).write(to: url)
            return try FileHandle(forUpdating: url)
        }
        let process = Process()
        // It refuses to run as root.
        let asOther = ["/usr/bin/setpriv", "--reuid=postgres", "--regid=postgres", "--clear-groups", "--"]
        let command = (getuid() == 0 ? asOther : []) + ["/bin/sh", "-c", PostgreSQL.script, programs]
        process.executableURL = URL(filePath: command[0])
        process.arguments = Array(command.dropFirst())
        process.standardInput = try file("input", statements.joined(separator: "\n") + "\n")
        process.standardOutput = try file("output")
        process.standardError = try file("errors")
        try process.run()
        process.waitUntilExit()
        let errors = String(decoding: try directory.bytes("errors"), as: UTF8.self)
        try #require(process.terminationStatus == 0, "\(errors.suffix(2000))")
        return Outcome(
            refusals: PostgreSQL.refusals(errors),
            values: PostgreSQL.values(String(decoding: try directory.bytes("output"), as: UTF8.self)))
    }

    /// `initdb`, and one process of the engine that takes its statements from its input: a line is a statement.
    private static let script = """
        cd / && directory=$(TMPDIR=/tmp mktemp -d) || exit 1
        trap 'rm -rf "$directory"' EXIT
        "$0/initdb" --pgdata="$directory" --username=parley --auth=trust --encoding=UTF8 --no-locale --no-sync \
            </dev/null >/dev/null || exit 1
        "$0/postgres" --single -D "$directory" -F -c log_line_prefix= -c log_min_messages=error postgres
        """

    /// `ERROR:  why`, with hints, and then `STATEMENT:  what`.
    private static func refusals(_ log: String) -> [(statement: String, reason: String)] {
        var refusals: [(statement: String, reason: String)] = []
        var reason = ""
        for line in log.split(separator: "\n") {
            if line.hasPrefix("ERROR:") {
                reason = String(line)
            } else if line.hasPrefix("STATEMENT:") {
                refusals.append((String(line.dropFirst(10)).onOneLine, reason))
            }
        }
        return refusals
    }

    /// `1: name = "value"` for each value.
    private static func values(_ output: String) -> [String] {
        output.split(separator: "\n").compactMap { line in
            guard let start = line.range(of: " = \""), let end = line.range(of: "\"\t", options: .backwards) else {
                return nil
            }
            return String(line[start.upperBound..<end.lowerBound])
        }
    }
}
