import Foundation

/// The programs that tests and measurements start, and where they lie.
package enum Programs {
    package static let mosquitto = "/usr/sbin/mosquitto"

    /// Beside this program, which for tests is their bundle, or where `PARLEY_PRODUCTS` says: to test a release build
    /// with the tests' debug one.
    ///
    /// - Parameter folder: where those of another version lie.
    package static func path(_ name: String, in folder: String? = nil) throws -> String {
        let named = (folder ?? ProcessInfo.processInfo.environment["PARLEY_PRODUCTS"]).map { URL(filePath: $0) }
        let path = try (named ?? URL(filePath: own).deletingLastPathComponent()).appending(path: name).path
        guard FileManager.default.fileExists(atPath: path) else { throw StartError(name, "there is no \(path)") }
        return path
    }

    /// This program itself.
    package static var own: String {
        get throws { try FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/exe") }
    }

    /// The root of the repository is four folders above this file.
    package static let brokerTemplate = URL(filePath: #filePath)
        .appending(path: "../../../../broker-config/development.conf").standardized.path
}

/// What one program of a gateway in a data directory writes, each run of it beginning anew on standard output.
package struct ServiceFiles: Sendable {
    package let directory: String
    package let name: String

    package init(_ name: String, in directory: String) { (self.name, self.directory) = (name, directory) }

    package var output: String { (try? String(contentsOfFile: outputPath, encoding: .utf8)) ?? "" }
    package var errors: String { (try? String(contentsOfFile: errorPath, encoding: .utf8)) ?? "" }

    private var outputPath: String { "\(directory)/\(name).out" }
    private var errorPath: String { "\(directory)/\(name).err" }

    /// Starts it in the directory, and returns at once.
    package func launch(_ path: String, _ arguments: [String]) throws -> ChildProcess {
        try ChildProcess(path, arguments, directory: directory, output: outputPath, errors: errorPath)
    }

    /// Runs it to its end, and removes its output.
    package func run(_ path: String, _ arguments: [String]) throws -> (status: Int32, output: String, errors: String) {
        let status = try launch(path, arguments).waitUntilEnded()
        defer { for path in [outputPath, errorPath] { try? FileManager.default.removeItem(atPath: path) } }
        return (status, output, errors)
    }

    /// Whether the gateway that was launched last has said that devices can sign in.
    package var isReady: Bool { output.hasPrefix("parley: ready") }

    /// Returns when it says so.
    package func awaitReady(_ child: ChildProcess) throws {
        try child.awaitStart(name, said: errors) { isReady }
    }
}
