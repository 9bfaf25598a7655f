import ParleyProtocol

extension MessagingClient {
    /// The devices of the user.
    public nonisolated var devices: Devices { Devices(client: self) }

    /// The devices of the user: ``MessagingClient/devices``.
    public struct Devices: Sendable {
        let client: MessagingClient

        /// All devices of the user, by name.
        public func all() async throws(ClientError) -> [OwnDevice] {
            try await client.perform { context throws(ClientError) in
                let listed = try await context.gateway.ask(ListDevices()).devices
                try await context.keyExchange.fetch(of: context.device.user)
                return listed.map { OwnDevice($0.summary, context.keyring.book) }.sorted {
                    $0.summary.device < $1.summary.device
                }
            }
        }

        /// Revokes one of the user's devices: it can no longer sign in, and nothing is sealed for it.
        ///
        /// - Throws: ``ClientError/refused(_:)`` with `not_found` if the user has no such device.
        public func remove(_ name: DeviceID) async throws(ClientError) {
            try await client.perform { context throws(ClientError) in
                try await context.gateway.ask(RevokeDevice(device: name))
                try await context.keyExchange.fetch(of: context.device.user)
            }
        }
    }
}
