import Platform
import ParleyClient
import ParleyProtocol
import PrivateFiles

// What a sign-in by a web door leaves in the data directory.

extension LocalGateway {
    /// Makes the data directory if it is not there, and those that it is in, before anything is asked of a door.
    func prepareForSignIn() throws(ToolError) {
        do throws(FileError) {
            try Files.makePrivateDirectories(path)
        } catch {
            throw ToolError(.noAnswer, error.description.printable)
        }
    }

    /// Signs in with a token that an operator has handed over. Nothing is kept of one that is not accepted.
    func signIn(
        _ credentials: DeviceCredentials, of device: DeviceAddress, at record: SignInRecord, by output: OutputOptions
    ) async throws {
        try prepareForSignIn()
        try check(device, DeviceDirectory(of: device, in: path), at: record)
        if let endpoint = record.endpoint {
            var configuration = DeviceConfiguration(
                gateway: endpoint.address, device: device, over: endpoint.address.transport
            ) { credentials }
            configuration.persistence = .onceReached
            let timeout = timeout
            try await DeviceConnection.open(configuration) { connection in
                do throws(RequestError) {
                    _ = try await GatewayRequests(connection, timeout: timeout).ask(GetGatewayInfo())
                } catch {
                    throw ToolError(.noAnswer, record.sentence(ofSignIn: error, device))
                }
            }
        }
        try await complete(SignedIn(address: device, credentials: credentials), at: record, by: output)
    }

    /// Stores what a sign-in has given, and signs in once, by which keys are made and published.
    func complete(_ signedIn: SignedIn, at record: SignInRecord, by output: OutputOptions) async throws {
        let device = signedIn.address
        let directory = DeviceDirectory(of: device, in: path)
        try check(device, directory, at: record)
        do throws(CredentialsError) {
            // First: credentials alone would be taken to another gateway.
            try directory.store(record)
        } catch {
            throw ToolError(.noAnswer, "the credentials could not be kept: \(error)")
        }
        try save(signedIn.credentials, of: device)
        output.print(done: "signed in as \(device)")
        try settleDefault(besides: device)
        try await publishKeys(of: device)
    }

    /// What a door answers, or a file has, must not take the place of what another gateway, or an operator of this one,
    /// has given.
    func check(_ device: DeviceAddress, _ directory: DeviceDirectory, at record: SignInRecord) throws(ToolError) {
        guard device.user != DeviceAddress.operatorConsole.user, device.user != DeviceAddress.webDoor.user else {
            throw ToolError(.noAnswer, "\(record.place) signs in as \(device), which nobody is by a door")
        }
        let earlier = try signInRecord(of: device)
        let isSame = earlier.map { $0.isSameGateway(as: record) } ?? (record.endpoint == nil || !directory.isUsed)
        guard isSame else {
            throw ToolError(
                .noAnswer,
                "\(directory.path) belongs to \(device) of another gateway: name another directory with --data, or "
                    + "another device with --device")
        }
    }

    private func publishKeys(of device: DeviceAddress) async throws {
        let timeout = timeout
        let events = try await messaging(as: device, storage: .memory) { client in
            let events = client.events()
            try await client.ready(timeout: timeout)
            // Lists the account's keys, and so says whether this device is linked.
            _ = try await client.devices.all()
            return events
        }
        await reportUnlinked(events)
    }

    /// The record of the device's sign-in, unless an operator has made it.
    func signInRecord(of device: DeviceAddress) throws(ToolError) -> SignInRecord? {
        do throws(CredentialsError) {
            return try DeviceDirectory(of: device, in: path).readSignInRecord()
        } catch {
            throw ToolError(.noAnswer, error.description.printable)
        }
    }

    /// The devices that have a directory here, in order; none where it cannot be read.
    var keptDevices: [DeviceAddress] {
        let devices = "\(path)/\(DataDirectoryLayout.devices)"
        let users = ((try? Files.names(in: devices)) ?? []).compactMap { UserID($0) }.sorted()
        return users.flatMap { user in
            ((try? Files.names(in: "\(devices)/\(user)")) ?? []).compactMap { DeviceID($0) }.sorted().map {
                DeviceAddress(user: user, device: $0)
            }
        }
    }

    /// The devices that were signed in here by a door, whether they still are or not.
    func signedInDevices(where isWanted: (SignInRecord) -> Bool = { _ in true }) -> [DeviceAddress] {
        keptDevices.filter { device in
            guard let record = try? DeviceDirectory(of: device, in: path).readSignInRecord() else { return false }
            return isWanted(record)
        }
    }
}

extension DeviceDirectory {
    /// Whether the device has been used from here.
    fileprivate var isUsed: Bool {
        unsafe access(credentialsPath, F_OK) == 0 || access(keysPath, F_OK) == 0
    }
}

extension LocalGateway {
    /// Says how a device is linked that is not, by the events of a client that has ended.
    func reportUnlinked(_ events: AsyncStream<ClientEvent>) async {
        for await event in events {
            if case .keys(.thisDeviceNotLinked(let device)) = event {
                Terminal.report("\(PeerKeyNotice.thisDeviceNotLinked(device)), by: parley link --as \(device)")
            }
        }
    }
}
