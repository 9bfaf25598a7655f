import Foundation
import ParleyProtocol
import Sodium

@testable import ParleyDeviceStore

/// A directory of a test's own, mode 0700, removed at its end.
final class TemporaryDirectory: Sendable {
    let path: String

    init() throws {
        path = NSTemporaryDirectory() + "/parley-device-store-\(UUID().uuidString)"
        try FileManager.default.createDirectory(
            atPath: path, withIntermediateDirectories: true, attributes: [.posixPermissions: 0o700])
    }

    deinit { try? FileManager.default.removeItem(atPath: path) }

    var database: String { path + "/messages.db" }

    var names: Set<String> { get throws { Set(try FileManager.default.contentsOfDirectory(atPath: path)) } }

    func bytes(_ name: String = "messages.db") throws -> [UInt8] {
        [UInt8](try Data(contentsOf: URL(filePath: path + "/" + name)))
    }

    func write(_ bytes: [UInt8], to name: String = "messages.db") throws {
        try Data(bytes).write(to: URL(filePath: path + "/" + name))
    }

    /// What may be done with a file, as `chmod` counts it.
    func rights(_ name: String) throws -> Int? {
        try FileManager.default.attributesOfItem(atPath: path + "/" + name)[.posixPermissions] as? Int
    }

    func open(
        _ device: DeviceAddress = phone, key: SecretBytes? = nil, migrations: Migrations = .shipped,
        textLimit: Int = MessageSearch.textLimit
    ) throws -> DeviceStore {
        try DeviceStore.open(
            StoreFile(path: database, migrations: migrations), device: device, storageKey: key ?? storageKey(),
            textLimit: textLimit, searchable: searchable)
    }
}
