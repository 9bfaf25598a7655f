import Platform
import ParleyClient
import ParleyCurl
import ParleyDeviceStore
import ParleyProtocol
import PrivateFiles

extension LocalGateway {
    /// Runs `body` with a device's client; errors become a ``ToolError``.
    ///
    /// The device's keys are made if it has none, and published as soon as it has subscribed.
    ///
    /// - Parameters:
    ///   - keys: the device's keys, where they were opened before; `nil` asks for their passphrase if they have one.
    ///   - storage: in memory, a command runs beside a chat of the same device.
    ///   - persistence: whether a gateway that was never reached is waited for.
    func messaging<Value: Sendable>(
        as device: DeviceAddress, keys: FileKeyStore? = nil, storage: ClientConfiguration.Storage,
        follows: ClientConfiguration.Following = .only([]), persistence: DeviceConfiguration.Persistence = .onceReached,
        _ body: @Sendable (MessagingClient) async throws -> Value
    ) async throws -> Value {
        let directory = DeviceDirectory(of: device, in: path)
        try requireCredentials(directory)
        if let warning = expiryWarning(for: device, now: .now) { Terminal.report(warning) }
        let hadKeys = unsafe access(directory.keysPath, F_OK) == 0
        do {
            var configuration = try clientConfiguration(directory, keys ?? keyStore(of: device))
            configuration.connection.persistence = persistence
            configuration.storage = storage
            configuration.door = try door(of: device)
            configuration.follows = follows
            return try await MessagingClient.open(configuration) { client in
                if !hadKeys { Terminal.report("made keys for \(device)") }
                return try await body(client)
            }
        } catch let error as ClientError {
            throw failure(of: error, device)
        }
    }

    /// Puts a new database in the place of a device's damaged one.
    func recoverStorage(of device: DeviceAddress, keys: FileKeyStore) throws(ToolError) -> StorageRecovery {
        let directory = DeviceDirectory(of: device, in: path)
        try requireCredentials(directory)
        let configuration = try clientConfiguration(directory, keys)
        do throws(ClientError) {
            return try MessagingClient.recoverStorage(configuration)
        } catch {
            throw failure(of: error, device)
        }
    }

    /// The web door that files go by: where the device was signed in, or else that of the data directory's gateway.
    private func door(of device: DeviceAddress) throws(ToolError) -> WebDoorAccess? {
        let record = try signInRecord(of: device)
        let port = (try? LocalEndpoint.read(in: path))?.webPort ?? 9893
        // A device that came by a file knows the door that the file names, if any.
        let own = record?.email == nil && record != nil ? nil : "http://127.0.0.1:\(port)"
        guard let text = record?.door ?? own, let address = WebDoorAddress(text) else { return nil }
        guard let file = record?.endpoint?.transport.caFile else {
            return WebDoorAccess(address, over: CurlTransport())
        }
        // What was trusted at the sign-in.
        let certificates = (try? Files.read(file, maximum: 1 << 20)).flatMap { CurlTransport(trusting: $0.bytes) }
        return WebDoorAccess(address, over: certificates ?? CurlTransport())
    }

    /// Checked first: without credentials, keys would be made for a device that cannot sign in.
    func requireCredentials(_ directory: DeviceDirectory) throws(ToolError) {
        do throws(CredentialsError) {
            _ = try directory.readCredentials()
        } catch {
            throw ToolError(.noAnswer, sentence(.noCredentials(error), directory.device))
        }
    }

    private func clientConfiguration(
        _ directory: DeviceDirectory, _ keys: FileKeyStore
    ) throws(ToolError) -> ClientConfiguration {
        ClientConfiguration(connection: try connection(as: directory.device), keys: keys, directory: directory)
    }

    /// A client's error as the tool reports it.
    func failure(of error: ClientError, _ device: DeviceAddress) -> ToolError {
        switch error {
        case .refused(let rejection), .failed(.refused(let rejection)):
            ToolError(rejection)
        case .unanswered(let failure): self.failure(failure, device)
        case .timedOut(let cause): failure(.timedOut(cause: cause), device)
        case .ended(let cause): failure(.ended(cause), device)
        case .malformedReply: failure(.malformedReply, device)
        case .storage(.inUse):
            ToolError(
                .noAnswer,
                "another process uses the messages of \(device), such as another chat; a second device of your own "
                    + "is made by: parley device add \(device.user) NAME")
        case .storage(let damage) where damage.isDamage:
            ToolError(
                .noAnswer,
                "\(damage.description.printable); nothing was deleted: what waits there to be sent is brought to a new one, "
                    + "and the rest fetched again, by: parley chat --as \(device) --with UID --recover")
        case .failed(.noRecipientKeys):
            ToolError(
                .rejected,
                "nobody it is for has keys yet: a device makes them when it first runs parley chat, send or listen")
        case .noKeys(let user):
            ToolError(
                .rejected,
                "\(user) has no keys yet: a device makes them when it first runs parley chat, send or listen")
        case .gatewayFault(let fault): ToolError(.rejected, "WARNING: \(fault)")
        case .file(.noDoor):
            ToolError(
                .noAnswer,
                "files go by the gateway's web door, and none is known: sign in again with --door https://HOST, or by a "
                    + "file that was made with it")
        case .file(let error):
            ToolError(error.isRefusal ? .rejected : .noAnswer, error.description.printable)
        case .failed, .content, .notOwn, .notAccepted, .account, .unknownMessage, .unknownConversation:
            ToolError(.rejected, error.description.printable)
        case .keys, .storage, .noGateway, .queueFull, .discarded, .cancelled:
            ToolError(.noAnswer, error.description.printable)
        }
    }
}

extension FileTransferError {
    /// Whether a later attempt comes to the same.
    var isRefusal: Bool {
        switch self {
        case .refused, .gone, .altered, .elsewhere, .noFile, .notAnImage, .tooLarge: true
        case .noDoor, .unreachable, .doorFull, .notADoor, .diskFull, .disk, .notRegular, .exists, .tooMany: false
        }
    }
}

extension StorageRecovery {
    /// The recovery in words.
    var sentence: String {
        guard !damagedFiles.isEmpty else { return "the messages kept on this device are in order" }
        var sentence = "made a new database with \(rescued) of the messages that waited to be sent"
        if rescuedRequests > 0 { sentence += " and \(rescuedRequests) of the workouts and reports" }
        if unreadable > 0 { sentence += "; \(unreadable) could not be read" }
        if unreadableRequests > 0 { sentence += "; \(unreadableRequests) workouts and reports could not be read" }
        if !isWhole { sentence += "; there may have been more" }
        return sentence + "; the damaged one is kept in \(damagedFiles.joined(separator: ", ").printable)"
    }
}
