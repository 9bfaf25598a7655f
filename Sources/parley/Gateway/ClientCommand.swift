import ArgumentParser
import ParleyClient
import ParleyProtocol

/// A command that signs in as a device, makes its requests, and prints the result.
protocol ClientCommand: AsyncParsableCommand, Sendable {
    associatedtype Result: Sendable

    var sender: SenderOptions { get }
    var common: CommonOptions { get }

    func ask(_ client: MessagingClient) async throws -> Result
    func show(_ result: Result)
}

extension ClientCommand {
    func run() async throws {
        show(try await common.signedIn(as: sender) { try await ask($0) })
    }
}

extension ClientCommand where Result == String {
    func show(_ result: String) { common.output.print(done: result) }
}

/// Options that name the device that a command acts as.
protocol DeviceOptions {
    /// `nil` for the default one.
    var named: DeviceAddress? { get }
}

extension DeviceOptions {
    func device(_ gateway: LocalGateway) throws(ToolError) -> DeviceAddress {
        if let named { return named }
        return try gateway.defaultDevice()
    }
}

/// The device that a command acts as.
struct SenderOptions: ParsableArguments, DeviceOptions {
    @Option(
        name: .customLong("as"),
        help: ArgumentHelp(
            "The device that acts. Default: that of `parley use`, or the only one.", valueName: "UID/DID"))
    var named: DeviceAddress?
}

extension CommonOptions {
    /// Runs `body` with a client that is signed in.
    ///
    /// - Parameter keys: the device's keys, where they were opened before.
    func signedIn<Value: Sendable>(
        as sender: some DeviceOptions, keys: FileKeyStore? = nil, follows: ClientConfiguration.Following = .only([]),
        _ body: @Sendable (MessagingClient) async throws -> Value
    ) async throws -> Value {
        let gateway = gateway
        return try await gateway.messaging(as: sender.device(gateway), keys: keys, storage: .memory, follows: follows) {
            client in
            try await client.ready(timeout: gateway.timeout)
            return try await body(client)
        }
    }
}
