import Foundation

/// A directory of a test's own, removed with the value. Its path is short: a socket's may have 107 bytes.
package final class TemporaryDirectory: Sendable {
    package let path: String

    private init(name: String) { path = FileManager.default.temporaryDirectory.appending(path: "parley-\(name)").path }

    /// One that is there, and is its owner's alone.
    package convenience init() throws {
        self.init(name: TemporaryDirectory.randomName())
        try make()
    }

    /// One that does not exist until something makes it.
    package static func unmade() -> TemporaryDirectory { TemporaryDirectory(name: randomName()) }

    deinit { try? FileManager.default.removeItem(atPath: path) }

    private static func randomName() -> String { String(UInt64.random(in: 0 ... .max), radix: 36) }

    package func make(permissions: Int = 0o700) throws {
        try FileManager.default.createDirectory(
            atPath: path, withIntermediateDirectories: true, attributes: [.posixPermissions: permissions])
    }

    package var names: Set<String> { get throws { Set(try FileManager.default.contentsOfDirectory(atPath: path)) } }

    package func bytes(_ name: String) throws -> [UInt8] {
        Array(try Data(contentsOf: URL(filePath: "\(path)/\(name)")))
    }

    package func write(_ bytes: [UInt8], to name: String) throws {
        try Data(bytes).write(to: URL(filePath: "\(path)/\(name)"))
    }

    package func write(_ text: String, to name: String) throws { try write(Array(text.utf8), to: name) }

    /// Of what lies at a path in it; of itself without one.
    package func permissions(_ name: String = "") throws -> Int? {
        try FileManager.default.attributesOfItem(atPath: "\(path)/\(name)")[.posixPermissions] as? Int
    }

    package func setPermissions(_ mode: Int, of name: String) throws {
        try FileManager.default.setAttributes([.posixPermissions: mode], ofItemAtPath: "\(path)/\(name)")
    }
}
