import ParleyProtocol
import Sodium
import TestSupport

@testable import ParleyDeviceStore

extension TemporaryDirectory {
    var database: String { path + "/messages.db" }

    func bytes() throws -> [UInt8] { try bytes("messages.db") }

    func write(_ bytes: [UInt8]) throws { try write(bytes, to: "messages.db") }

    func open(
        _ device: DeviceAddress = phone, key: SecretBytes? = nil, migrations: Migrations = .shipped,
        textLimit: Int = MessageSearch.textLimit
    ) throws -> DeviceStore {
        try DeviceStore.open(
            StoreFile(path: database, migrations: migrations), device: device, storageKey: key ?? storageKey(),
            textLimit: textLimit, searchable: searchable)
    }
}
