import ArgumentParser
import ParleyClient
import ParleyProtocol
import PrivateFiles

struct ExportDeviceCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "export",
        abstract: "Adds a device to a user, and makes one file with which it signs in elsewhere.",
        discussion: """
            The file has the gateway's address, the certificates to trust and a token. Whoever has it is the device, so hand \
            it over as one hands over a password; on the other machine `parley login FILE` takes it. Nothing of it stays \
            in the gateway's data directory. A device that is there already is an error, unless --renew-token is given: then \
            the token that it had before ends.

            Example:
              parley device export alice phone --output alice-phone.parley
            """)

    @OptionGroup var name: DeviceArguments

    @Option(help: ArgumentHelp("The file that is made; without, UID-DID.parley in this directory.", valueName: "FILE"))
    var output: String?

    @Option(
        help: ArgumentHelp(
            "Where the device finds the gateway: HOST:PORT by TLS, or wss://HOST/mqtt, its web door by WebSocket; without, "
                + "what DIR/endpoint.json says.",
            valueName: "HOST:PORT")
    )
    var mqtt: BrokerAddress?

    @Option(
        name: .customLong("ca"),
        help: ArgumentHelp(
            "Certificates to trust; without, what DIR/endpoint.json says, or else the system's.", valueName: "FILE"))
    var caFile: String?

    @Option(help: ArgumentHelp("The web door that the device's files go by.", valueName: "URL"))
    var door: DoorAddress?

    @Flag(name: .customLong("renew-token"), help: "Of a device that is there: make its token anew.")
    var renewsToken = false

    @Flag(help: "Adds the user too, if there is none of this name.") var addUser = false

    @OptionGroup var lifetime: LifetimeOption
    @OptionGroup var common: CommonOptions

    func run() async throws {
        let gateway = common.gateway
        let endpoint = try endpoint(gateway)
        let authority = try authority(of: endpoint)
        let path = output ?? "\(name.user)-\(name.device).parley"
        // First: a token is not made that nobody gets.
        let file = try reserve(path)
        if addUser { _ = try await gateway.data(of: AddUser(user: name.user)) }
        let credentials =
            if renewsToken {
                try await gateway.ask(RenewUserDevice(address: name.address, lifetimeDays: lifetime.days))
            } else {
                try await gateway.ask(AddDevice(address: name.address, lifetimeDays: lifetime.days, isNew: true))
            }
        let content = DeviceFile(name.address, credentials, at: endpoint, authority: authority, door: door?.text)
        try write(content.json, to: file, at: path)
        common.output.print(value: path, named: "file")
        if endpoint.isLoopback {
            Terminal.report(
                "\(endpoint.url) is this machine alone: the file is for its other users; --mqtt names another")
        }
    }

    private func endpoint(_ gateway: LocalGateway) throws(ToolError) -> LocalEndpoint {
        let own = try gateway.endpoint(of: name.address)
        return mqtt?.endpoint(trusting: own.transport.caFile) ?? own
    }

    private func authority(of endpoint: LocalEndpoint) throws(ToolError) -> String? {
        guard endpoint.transport.isEncrypted, let path = caFile ?? endpoint.transport.caFile else { return nil }
        do throws(FileError) {
            return String(decoding: try Files.read(path, maximum: 65_536).bytes, as: UTF8.self)
        } catch {
            throw ToolError(.noAnswer, error.description.printable)
        }
    }

    private func reserve(_ path: String) throws(ToolError) -> FileWriter {
        do throws(FileError) {
            if try Files.identity(of: path) == nil { return try FileWriter(path) }
        } catch {
            throw ToolError(.noAnswer, error.description.printable)
        }
        throw ToolError(.noAnswer, "\(path.printable) is there already; another file is named by --output")
    }

    private func write(_ bytes: [UInt8], to reserved: consuming FileWriter, at path: String) throws(ToolError) {
        var file = reserved
        let isKept: Bool
        do throws(FileError) {
            try file.write(bytes.span)
            isKept = try file.commit(asNew: path)
        } catch {
            throw ToolError(
                .noAnswer, "the token was made and could not be kept, do it again with --renew-token: \(error)")
        }
        guard isKept else {
            throw ToolError(
                .noAnswer,
                "\(path.printable) has appeared meanwhile: the token was not kept, do it again with --renew-token")
        }
    }
}
