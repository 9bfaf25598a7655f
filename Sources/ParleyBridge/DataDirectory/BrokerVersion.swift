import Foundation

/// A version of Mosquitto.
package struct BrokerVersion: Comparable, Sendable, CustomStringConvertible {
    private let parts: [Int]

    /// - Parameter parts: major, minor and patch.
    package init(_ parts: Int...) { self.parts = parts }

    /// From the line that `mosquitto -h` begins with, such as `mosquitto version 2.0.11`.
    package init?(line: Substring) {
        let prefix = "mosquitto version "
        guard line.hasPrefix(prefix) else { return nil }
        let parts = line.dropFirst(prefix.count).split(separator: ".", omittingEmptySubsequences: false).map { Int($0) }
        guard parts.count == 3, !parts.contains(nil) else { return nil }
        self.parts = parts.compactMap { $0 }
    }

    package var description: String { parts.map(String.init).joined(separator: ".") }

    package static func < (left: BrokerVersion, right: BrokerVersion) -> Bool {
        left.parts.lexicographicallyPrecedes(right.parts)
    }

    /// The first that frees the will of a CONNECT that it refuses.
    static let freesRefusedWills = BrokerVersion(2, 0, 16)

    /// The version that the installed `mosquitto` prints; `nil` if none is found or it prints none.
    package static func installed() -> BrokerVersion? {
        // It is in /usr/sbin, which only root has in PATH.
        let places = (ProcessInfo.processInfo.environment["PATH"] ?? "").split(separator: ":") + ["/usr/sbin"]
        guard
            let path = places.lazy.map({ "\($0)/mosquitto" }).first(
                where: FileManager.default.isExecutableFile(atPath:))
        else { return nil }
        let process = Process()
        let pipe = Pipe()
        process.executableURL = URL(fileURLWithPath: path)
        process.arguments = ["-h"]
        process.standardInput = FileHandle.nullDevice
        process.standardOutput = pipe
        process.standardError = FileHandle.nullDevice
        guard (try? process.run()) != nil else { return nil }
        let output = (try? pipe.fileHandleForReading.readToEnd()) ?? Data()
        process.waitUntilExit()
        return String(decoding: output, as: UTF8.self).split(whereSeparator: \.isNewline).first
            .flatMap(BrokerVersion.init(line:))
    }
}
