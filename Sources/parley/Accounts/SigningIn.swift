import Platform
import ParleyClient
import ParleyProtocol
import PrivateFiles

// What a sign-in by a web door leaves in the data directory.

extension LocalGateway {
    /// Makes the data directory if it is not there, before anything is asked of a door.
    func prepareForSignIn() throws(ToolError) {
        do throws(FileError) {
            try Files.makePrivateDirectory(path)
        } catch {
            throw ToolError(.noAnswer, error.description.printable)
        }
    }

    /// Stores what a sign-in has given, and signs in once, by which keys are made and published.
    func complete(_ signedIn: SignedIn, at place: SignInPlace) async throws {
        let device = signedIn.address
        let directory = DeviceDirectory(of: device, in: path)
        try check(device, directory, at: place)
        do throws(CredentialsError) {
            // First: credentials alone would be taken to another gateway.
            try directory.store(place)
        } catch {
            throw ToolError(.noAnswer, "the credentials could not be kept: \(error)")
        }
        try save(signedIn.credentials, of: device)
        Terminal.print("signed in as \(device)")
        try await publishKeys(of: device)
    }

    /// What a door answers must not take the place of what another gateway, or an operator of this one, has given.
    private func check(_ device: DeviceAddress, _ directory: DeviceDirectory, at place: SignInPlace) throws(ToolError) {
        guard device.user != DeviceAddress.operatorConsole.user, device.user != DeviceAddress.webDoor.user else {
            throw ToolError(.noAnswer, "\(place.door) signs in as \(device), which nobody is by a door")
        }
        let earlier = try signInPlace(of: device)
        let isSame = earlier.map { $0.door == place.door } ?? (place.endpoint == nil || !directory.isUsed)
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

    /// The device's place, unless an operator has made it.
    func signInPlace(of device: DeviceAddress) throws(ToolError) -> SignInPlace? {
        do throws(CredentialsError) {
            return try DeviceDirectory(of: device, in: path).readSignInPlace()
        } catch {
            throw ToolError(.noAnswer, error.description.printable)
        }
    }

    /// The devices that were signed in here by a door, whether they still are or not.
    func signedInDevices(where isWanted: (SignInPlace) -> Bool = { _ in true }) -> [DeviceAddress] {
        let devices = "\(path)/\(DataDirectoryLayout.devices)"
        let users = ((try? Files.names(in: devices)) ?? []).compactMap { UserID($0) }.sorted()
        return users.flatMap { user in
            ((try? Files.names(in: "\(devices)/\(user)")) ?? []).compactMap { DeviceID($0) }.sorted().map {
                DeviceAddress(user: user, device: $0)
            }
        }.filter { device in
            guard let place = try? DeviceDirectory(of: device, in: path).readSignInPlace() else { return false }
            return isWanted(place)
        }
    }

    /// The device that a person means who names none: the only one that is signed in here by a door.
    func onlySignedInDevice() throws(ToolError) -> DeviceAddress {
        let devices = signedInDevices().filter { device in
            (try? DeviceDirectory(of: device, in: path).readCredentials()) != nil
        }
        guard let device = devices.first else {
            throw ToolError(.noAnswer, "nobody is signed in in \(path); sign in with: parley login https://HOST")
        }
        guard devices.count == 1 else {
            let names = devices.map(\.description).joined(separator: ", ")
            throw ToolError(.usage, "name one of the devices that are signed in, with --as: \(names)")
        }
        return device
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
