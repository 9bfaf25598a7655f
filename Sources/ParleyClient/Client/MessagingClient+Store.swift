import Platform
import ParleyDeviceStore
import ParleyProtocol

extension MessagingClient {
    func read<Value>(_ body: (Snapshot) throws -> Value) throws(ClientError) -> Value {
        do throws(DeviceStoreError) {
            return try store.read(body)
        } catch {
            throw .storage(error)
        }
    }

    func write<Value>(_ body: (WriteTransaction) throws -> Value) throws(ClientError) -> Value {
        do throws(DeviceStoreError) {
            return try store.write(body)
        } catch {
            throw .storage(error)
        }
    }

    /// Writes what costs nothing but a question should it fail; the events tell of it.
    func note(_ body: (WriteTransaction) throws -> Void) {
        do throws(DeviceStoreError) {
            try store.write(body)
        } catch {
            hub.emit(.storageFailed(error))
        }
    }
}

extension Timestamp {
    /// What this device's clock shows.
    package static var now: Timestamp {
        Timestamp(milliseconds: SystemClock.timeOfDay.milliseconds)
    }
}
