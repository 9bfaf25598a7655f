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

/// What opening a database fails with; `nil` if it does not.
func failure(_ open: () throws -> Any?) -> DeviceStoreError? {
    do {
        _ = try open()
        return nil
    } catch {
        return error as? DeviceStoreError
    }
}

extension WriteTransaction {
    /// Appends messages of these numbers to a conversation's, each with its number as its content.
    func enqueue(_ numbers: ClosedRange<UInt64>, in conversation: ConversationID = conversation(1)) throws {
        for number in numbers { try enqueue(message(number), in: conversation, content: [UInt8(number)]) }
    }
}
