import Glibc
import ParleyClient
import ParleyDeviceStore
import ParleyProtocol

extension LocalGateway {
    /// Runs `body` with a device's messages; trouble becomes a ``Failure``.
    ///
    /// The device's keys are made if it has none, and published as soon as it hears.
    ///
    /// - Parameters:
    ///   - storage: in memory, a command runs beside a chat of the same device.
    ///   - persistence: whether a gateway that was never reached is waited for.
    func messaging<Value: Sendable>(
        as device: DeviceAddress, storage: ClientConfiguration.Storage,
        follows: ClientConfiguration.Following = .only([]), persistence: DeviceConfiguration.Persistence = .onceReached,
        _ body: @Sendable (MessagingClient) async throws -> Value
    ) async throws -> Value {
        let directory = DeviceDirectory(of: device, in: path)
        // Asked for first: without them there would be keys of a device that cannot sign in.
        do throws(CredentialsError) {
            _ = try directory.readCredentials()
        } catch {
            throw Failure(.noAnswer, sentence(.noCredentials(error), device))
        }
        if let warning = expiryWarning(for: device, now: .now) { Terminal.say(warning) }
        let hadKeys = unsafe access(directory.keysPath, F_OK) == 0
        do {
            var configuration = ClientConfiguration(
                connection: try connection(as: device), keys: FileKeyStore(in: directory), directory: directory)
            configuration.connection.persistence = persistence
            configuration.storage = storage
            configuration.follows = follows
            return try await MessagingClient.open(configuration) { client in
                if !hadKeys { Terminal.say("made keys for \(device)") }
                return try await body(client)
            }
        } catch let error as ClientError {
            throw failure(of: error, device)
        }
    }

    /// What a client's error means to the person at the terminal.
    func failure(of error: ClientError, _ device: DeviceAddress) -> Failure {
        switch error {
        case .refused(let rejection), .setAside(.refused(let rejection)):
            Failure(.rejected, "\(rejection.code.rawValue): \(rejection.message.printable)")
        case .unanswered(let failure): self.failure(failure, device)
        case .timedOut(let trouble): failure(.timedOut(trouble: trouble), device)
        case .ended(let trouble): failure(.ended(trouble), device)
        case .malformedReply: failure(.malformedReply, device)
        case .storage(.inUse):
            Failure(
                .noAnswer,
                "another process uses the messages of \(device), such as another chat; a second device of your own "
                    + "is made by: parley device add \(device.user) NAME")
        case .setAside(.noRecipientKeys):
            Failure(
                .rejected,
                "nobody it is for has keys yet: a device makes them when it first runs parley chat, send or listen")
        case .noKeys(let user):
            Failure(
                .rejected,
                "\(user) has no keys yet: a device makes them when it first runs parley chat, send or listen")
        case .setAside, .content: Failure(.rejected, error.description.printable)
        case .keys, .storage, .noGateway, .queueFull, .unknownMessage, .unknownConversation, .discarded, .cancelled:
            Failure(.noAnswer, error.description.printable)
        }
    }
}
