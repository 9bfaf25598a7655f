import MemoryTransport
import ParleyDeviceStore
import ParleyProtocol
import Synchronization

@testable import ParleyClient

extension ClientConfiguration {
    /// A client's that never reaches a gateway.
    static func offline(in directory: DeviceDirectory) -> ClientConfiguration {
        let connection = DeviceConfiguration(
            gateway: .unixSocket(path: "/nonexistent/parley"), device: directory.device, over: NoTransport()
        ) { try directory.readCredentials() }
        return ClientConfiguration(connection: connection, keys: FileKeyStore(in: directory), directory: directory)
    }

    /// Changes the database that its client opens.
    func write(_ body: (WriteTransaction) throws -> Void) throws {
        let store = try openStore()
        try store.write(body)
        try store.close()
    }

    /// The database that its client opens.
    func openStore() throws -> DeviceStore {
        try DeviceStore.open(
            path: databasePath, device: connection.device, storageKey: keys.keys().storageKey)
    }
}

/// Counts what happens on several threads.
final class Counter: Sendable {
    private let value = Mutex(0)

    var count: Int { value.withLock { $0 } }

    @discardableResult
    func next() -> Int {
        value.withLock { value in
            value += 1
            return value
        }
    }
}
