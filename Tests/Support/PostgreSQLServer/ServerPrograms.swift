import Foundation
import Launch
import Platform

/// Debian's programs of PostgreSQL, run as a user that they accept: they refuse root.
package enum ServerPrograms {
    /// Where it is not installed, tests that need it are skipped; `PARLEY_POSTGRESQL=required` says that it must be
    /// there.
    package static var areExpected: Bool {
        let environment = ProcessInfo.processInfo.environment
        return folder != nil || environment["PARLEY_POSTGRESQL"] == "required" || environment["CI"] == "true"
    }

    /// That of the newest release, of at least 15.
    private static let folder: String? = {
        let root = "/usr/lib/postgresql"
        let releases = (try? FileManager.default.contentsOfDirectory(atPath: root))?.compactMap(Int.init) ?? []
        return releases.filter { $0 >= 15 }.sorted().map { "\(root)/\($0)/bin" }
            .last { FileManager.default.isExecutableFile(atPath: $0 + "/initdb") }
    }()

    /// Starts a program, which ends when this process does, however that ends: the kernel sees to it.
    ///
    /// - Parameter log: the file that its output is added to.
    static func launch(_ name: String, _ arguments: [String], log: String) throws -> ChildProcess {
        guard let folder else { throw StartError(name, "apt-get install postgresql") }
        let asOther = isRoot ? ["--reuid=\(user)", "--regid=\(user)", "--clear-groups"] : []
        let words = asOther + ["--pdeathsig", "QUIT", "--", "\(folder)/\(name)"] + arguments
        // The signal comes when the thread ends that has started it.
        return try LastingThread.shared.run { try ChildProcess("/usr/bin/setpriv", words, errors: log) }
    }

    /// The user of Debian's package.
    private static let user = "postgres"
    private static var isRoot: Bool { geteuid() == 0 }

    /// Gives a file or a folder to the user of the programs.
    static func hand(_ path: String) throws {
        guard isRoot else { return }
        guard let entry = unsafe getpwnam(user), unsafe chown(path, entry.pointee.pw_uid, entry.pointee.pw_gid) == 0
        else { throw StartError("PostgreSQL", "\(path) cannot be given to \(user): \(SystemError.reason(errno))") }
    }
}
