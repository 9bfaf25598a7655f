import ParleyDeviceStore

/// A client's way to its database. The app hears of a failure by the error, or by an event where the client goes on.
struct StoreAccess {
    let store: DeviceStore
    let hub: EventHub

    func read<Value>(_ body: (Snapshot) throws -> Value) throws(ClientError) -> Value {
        do throws(DeviceStoreError) { return try store.read(body) } catch { throw .storage(error) }
    }

    func write<Value>(_ body: (WriteTransaction) throws -> Value) throws(ClientError) -> Value {
        do throws(DeviceStoreError) { return try store.write(body) } catch { throw .storage(error) }
    }

    /// Writes what can be asked for again should it fail; an event tells of the failure.
    func writeBestEffort(_ body: (WriteTransaction) throws -> Void) {
        do throws(DeviceStoreError) { try store.write(body) } catch { hub.emit(.storageFailed(error)) }
    }
}
