import ParleyClient
import ParleyProtocol
import PrivateFiles

/// What a device needs to sign in from another machine, as one file: `parley device export` writes it, `parley login`
/// reads it. One JSON object on one line.
struct DeviceFile {
    let device: DeviceAddress
    let credentials: DeviceCredentials
    /// Without the path of trusted certificates, which are in the file itself.
    let endpoint: LocalEndpoint
    /// Certificates to trust in place of the system's, in PEM.
    let authority: String?
    /// The web door's base URL, if files go by one.
    let door: String?

    /// Of the file, in bytes.
    static let longest = 131_072
    private static let longestAuthority = 65_536

    init(
        _ device: DeviceAddress, _ credentials: DeviceCredentials, at endpoint: LocalEndpoint, authority: String?,
        door: String?
    ) {
        (self.device, self.credentials, self.authority, self.door) = (device, credentials, authority, door)
        self.endpoint = endpoint.trusting(nil)
    }

    var json: [UInt8] {
        let text = JSONWriter.object { object in
            object.member("parley_device", device.description)
            object.member("credentials", object: { credentials.writeMembers(to: &$0) })
            endpoint.writeMembers(to: &object)
            object.member("ca", authority)
            object.member("door", door)
        }
        return text + [UInt8(ascii: "\n")]
    }

    /// Where the device will have been signed in.
    fileprivate func record(trusting caFile: String? = nil) -> SignInRecord {
        SignInRecord(door: door, email: nil, endpoint: endpoint.trusting(caFile))
    }

    /// - Returns: `nil` if it is none.
    init?(json text: String) {
        guard let object = try? JSONObject(parsing: Array(text.utf8)),
            let address = try? object.text("parley_device", maximum: 129),
            let device = DeviceAddress(argument: address),
            let credentials = try? object.object("credentials"),
            object.has("scheme"), let endpoint = LocalEndpoint(object), !endpoint.host.isEmpty
        else { return nil }
        do {
            self.credentials = try DeviceCredentials(members: credentials)
            authority = try object.text("ca", maximum: Self.longestAuthority)
            door = try object.text("door", maximum: Limits.urlBytes)
        } catch {
            return nil
        }
        guard self.credentials.belong(to: device) else { return nil }
        (self.device, self.endpoint) = (device, endpoint.trusting(nil))
    }
}

extension LocalGateway {
    /// Signs in by a file that an operator has made.
    func signIn(by path: String, _ output: OutputOptions) async throws -> DeviceAddress {
        let secret = SecretFile(path: path, danger: "sign in with it")
        guard let line = try secret.readFirstLine(maximum: DeviceFile.longest), let file = DeviceFile(json: line) else {
            throw ToolError(.noAnswer, "\(path.printable) was not made by: parley device export")
        }
        try prepareForSignIn()
        let directory = DeviceDirectory(of: file.device, in: self.path)
        // First: the certificates of a device of another gateway's are not replaced.
        try check(file.device, directory, at: file.record())
        let record = file.record(trusting: try keepAuthority(of: file, directory))
        try await complete(SignedIn(address: file.device, credentials: file.credentials), at: record, by: output)
        Terminal.report("\(path.printable) holds a secret that is used now; remove it")
        return file.device
    }

    /// Keeps the certificates that the file wants to be trusted beside the device's keys.
    ///
    /// - Returns: their path; `nil` for the system's.
    private func keepAuthority(of file: DeviceFile, _ directory: DeviceDirectory) throws(ToolError) -> String? {
        guard let authority = file.authority else { return nil }
        do throws(FileError) {
            try Files.makePrivateDirectories(directory.path)
            try Files.replace("ca.pem", in: directory.path, with: Array(authority.utf8))
            return try Files.absolutePath("\(directory.path)/ca.pem")
        } catch {
            throw ToolError(.noAnswer, error.description.printable)
        }
    }
}
