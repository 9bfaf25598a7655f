import HummingbirdCore
import Logging
import NIOCore
import NIOPosix
import Platform
import ServiceLifecycle

/// The web door: HTTP and WebSockets for apps that speak no MQTT, each with its own token at the broker.
package struct WebDoor: Service {
    private let configuration: WebConfiguration
    private let group: any EventLoopGroup
    private let logger: Logger
    private let isReady: @Sendable (_ port: Int) -> Void
    /// In place of the gateway, for tests.
    var blobAuthority: (any BlobAuthority)?

    /// - Parameter isReady: called with the port once it listens.
    package init(
        _ configuration: WebConfiguration, on group: any EventLoopGroup = MultiThreadedEventLoopGroup.singleton,
        logger: Logger, isReady: @escaping @Sendable (_ port: Int) -> Void
    ) {
        (self.configuration, self.group, self.logger, self.isReady) = (configuration, group, logger, isReady)
    }

    package func run() async throws {
        let sessions = try await Sessions(on: group, configuration.link)
        let tickets = try Tickets(key: configuration.ticketKey) { SystemClock.timeOfDay.milliseconds }
        let credentials = Credentials(configuration, tickets)
        let link = configuration.link
        let upgrades = Upgrades(
            credentials: credentials, sessions: sessions, configuration: configuration,
            broker: try link.broker.resolved())
        let device = try await makeDevice()
        let accounts = makeAccountDoor(device)
        let blobs = try makeBlobDoor(credentials, GatewayBlobs(sessions: sessions, device: device))
        let responder = DoorResponder(
            sessions: sessions, upgrades: upgrades, credentials: credentials, tickets: tickets,
            accounts: accounts, blobs: blobs, page: configuration.page.map { PageDoor(files: $0) },
            configuration: configuration)
        let isReady = isReady
        let server = DoorChannel(
            responder: { request, writer, channel in
                try await responder.respond(to: request, on: channel, writer)
            },
            configuration: configuration, upgrades: upgrades
        ).server(
            configuration: ServerConfiguration(
                address: .hostname(configuration.address, port: configuration.port), backlog: 1024,
                availableConnectionsDelegate: MaximumAvailableConnections(configuration.limits.connections)),
            onServerRunning: { channel in isReady(channel.localAddress?.port ?? 0) },
            eventLoopGroup: group, logger: logger)
        try await withThrowingTaskGroup(of: Void.self) { group in
            if let blobs {
                group.addTask { try await blobs.store.run() }
                group.addTask { await blobs.collector.run() }
            }
            try await withGracefulShutdownHandler {
                try await server.run()
            } onGracefulShutdown: {
                // WebSockets end with their sessions, after the requests under way are answered.
                Task {
                    await sessions.drain()
                    await device?.drain()
                }
            }
            group.cancelAll()
        }
        await sessions.end()
        await device?.end()
        await blobs?.store.end()
    }

    /// Returns true once each of the event loops has found time to answer.
    package func answers() async -> Bool {
        for loop in group.makeIterator() {
            guard (try? await loop.submit { true }.get()) == true else { return false }
        }
        return true
    }

    /// Why the broker cannot be reached, in a sentence for the operator; `nil` where it can.
    package func brokerFailure() async -> String? {
        do {
            let connection = try await ClientBootstrap(group: group).connectTimeout(.seconds(2)).connect(
                to: configuration.link.broker.resolved()
            ).get()
            try? await connection.close()
            return nil
        } catch {
            return "the broker does not take a connection: \(error)"
        }
    }

    private func makeDevice() async throws -> DoorDevice? {
        guard let accounts = configuration.accounts else { return nil }
        return try await DoorDevice(accounts, configuration.link, on: group.next(), logger: logger)
    }

    private func makeAccountDoor(_ device: DoorDevice?) -> AccountDoor? {
        guard let device, let accounts = configuration.accounts else { return nil }
        return AccountDoor(accounts, device, logger: logger)
    }

    private func makeBlobDoor(_ credentials: Credentials, _ gateway: GatewayBlobs) throws -> BlobDoor? {
        guard let blobs = configuration.blobs else { return nil }
        let store: any BlobStore =
            switch blobs.storage {
            case .disk(let directory): try DiskBlobStore(directory, reserve: blobs.reserve)
            case .s3(let service): S3BlobStore(service, logger: logger)
            }
        return BlobDoor(blobs, store, blobAuthority ?? gateway, credentials, logger: logger)
    }
}

/// Services are logged by their descriptions: this one has secrets.
extension WebDoor: CustomStringConvertible {
    package var description: String { "web door" }
}
