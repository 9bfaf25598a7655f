import Foundation

/// A directory of a test's own, which does not exist until something makes it; removed at the test's end.
final class TemporaryDirectory: Sendable {
    let path: String

    init() {
        let name = "parley-bridge-\(UInt32.random(in: 0 ... .max))"
        path = URL(filePath: NSTemporaryDirectory()).appending(path: name).path
    }

    deinit { try? FileManager.default.removeItem(atPath: path) }

    /// Makes it.
    func make(permissions: Int = 0o700) throws {
        try FileManager.default.createDirectory(
            atPath: path, withIntermediateDirectories: true, attributes: [.posixPermissions: permissions])
    }

    /// The permissions of what lies at a path in it; of itself without one.
    func permissions(_ name: String = "") throws -> Int? {
        try FileManager.default.attributesOfItem(atPath: "\(path)/\(name)")[.posixPermissions] as? Int
    }

    func bytes(_ name: String) throws -> [UInt8] { Array(try Data(contentsOf: URL(filePath: "\(path)/\(name)"))) }

    func write(_ text: String, to name: String) throws {
        try Data(text.utf8).write(to: URL(filePath: "\(path)/\(name)"))
    }
}
