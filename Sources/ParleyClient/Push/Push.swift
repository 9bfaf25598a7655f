import ParleyDeviceStore
import ParleyProtocol

extension MessagingClient {
    /// How this device is reached while it is not connected.
    public nonisolated var push: Push { Push(client: self) }

    /// Push notifications: how this device is reached while it is not connected, and what comes then:
    /// ``MessagingClient/push``. What is pushed comes to a connected device as ``ClientEvent/push(_:)``.
    public struct Push: Sendable {
        let client: MessagingClient

        /// This device is reached by that from now on, and by nothing else; and whoever was reached by the same token
        /// before, or the same endpoint with the same secret, is so no more.
        ///
        /// Asked at once and never kept: an app registers at each start, whenever its push service gives it something
        /// else, and when a `PushEnd` names this device. What is registered ``DeviceSummary/push`` says
        /// (``MessagingClient/Devices/all()``).
        ///
        /// - Returns: since when.
        @discardableResult
        public func register(_ target: PushTarget) async throws(ClientError) -> Timestamp {
            guard let time = try await client.ask(RegisterPush(target)).registeredAt else { throw .malformedReply }
            return time
        }

        /// This device is reached by no push service any more.
        public func unregister() async throws(ClientError) { try await client.ask(UnregisterPush()) }

        /// What a push is to this device: as ``PushOpener/open(push:)``, by what the running client has.
        public func open(push payload: [UInt8]) async throws(PushError) -> OpenedPush {
            let notification = try PushNotification(payload: payload)
            return try await client.perform { context throws(PushError) in
                do throws(DeviceStoreError) {
                    return try context.pushes.open(notification)
                } catch {
                    throw .storage(error)
                }
            }
        }
    }
}
