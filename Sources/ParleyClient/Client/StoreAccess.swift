import ParleyDeviceStore

/// Access to the client's database. A failure is thrown, or emitted as an event if the client goes on.
struct StoreAccess {
    let store: DeviceStore
    let hub: EventHub

    func read<Value>(_ body: (Snapshot) throws -> Value) throws(ClientError) -> Value {
        do throws(DeviceStoreError) { return try store.read(body) } catch { throw .storage(error) }
    }

    func write<Value>(_ body: (WriteTransaction) throws -> Value) throws(ClientError) -> Value {
        do throws(DeviceStoreError) { return try store.write(body) } catch { throw .storage(error) }
    }

    /// Writes what can be fetched again: a failure is only emitted as an event.
    func writeBestEffort(_ body: (WriteTransaction) throws -> Void) {
        do throws(DeviceStoreError) { try store.write(body) } catch { hub.emit(.storageFailed(error)) }
    }
}
