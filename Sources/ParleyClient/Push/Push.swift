import ParleyDeviceStore
import ParleyProtocol

extension MessagingClient {
    /// This device's push notifications.
    public nonisolated var push: Push { Push(client: self) }

    /// This device's push notifications: ``MessagingClient/push``. A connected device gets them as
    /// ``ClientEvent/push(_:)``.
    public struct Push: Sendable {
        let client: MessagingClient

        /// Registers the only target of this device's pushes. A device that had registered the same token before, or
        /// the same endpoint with the same secret, loses its registration.
        ///
        /// Sent at once and never queued: an app registers at each start, when its push service gives it a new target,
        /// and when a `PushEnd` names this device. `DeviceSummary.push` shows the registration
        /// (``MessagingClient/Devices/all()``).
        ///
        /// - Returns: the time of the registration.
        @discardableResult
        public func register(_ target: PushTarget) async throws(ClientError) -> Timestamp {
            guard let time = try await client.ask(RegisterPush(target)).registeredAt else { throw .malformedReply }
            return time
        }

        /// Ends this device's registration.
        public func unregister() async throws(ClientError) { try await client.ask(UnregisterPush()) }

        /// Opens a push as ``PushOpener/open(push:)`` does, with the running client's state.
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
