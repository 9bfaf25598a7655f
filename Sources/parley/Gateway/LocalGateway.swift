import Platform
import ParleyClient
import ParleyCurl
import ParleyMosquitto
import ParleyProtocol
import PrivateFiles

/// The gateway of a data directory: its address, and the files of its devices.
struct LocalGateway: Sendable {
    /// The data directory.
    let path: String
    let timeout: Duration
    /// The file with the passphrase of a device's keys; `nil` to ask the person at the terminal.
    var passphraseFile: String?

    /// Connects as a device and runs `body`; errors become a ``ToolError``.
    func connect<Value: Sendable>(
        as device: DeviceAddress, _ body: @Sendable (DeviceConnection) async throws -> Value
    ) async throws -> Value {
        try await DeviceConnection.open(connection(as: device), body)
    }

    /// The operator's device of this gateway.
    var console: DeviceAddress {
        let directory = "\(path)/\(DataDirectoryLayout.devices)/\(DeviceAddress.operatorConsole.user)"
        let names = ((try? Files.names(in: directory)) ?? []).compactMap { DeviceID($0) }
        guard !names.contains(DeviceAddress.operatorConsole.device), let name = names.first else {
            return .operatorConsole
        }
        return DeviceAddress(user: DeviceAddress.operatorConsole.user, device: name)
    }

    /// The configuration of a device's connection.
    func connection(as device: DeviceAddress) throws(ToolError) -> DeviceConfiguration {
        let directory = DeviceDirectory(of: device, in: path)
        let endpoint = try endpoint(of: device)
        let address = device.isOperatorConsole ? LocalEndpoint.operatorAddress(in: path) : endpoint.address
        var configuration = DeviceConfiguration(gateway: address, device: device, over: address.transport) {
            try directory.readCredentials()
        }
        // The gateway itself renews the operator's.
        if !device.isOperatorConsole {
            configuration.renewal = renewal(in: directory)
            if (try? directory.readCredentials()) != nil { try? saveOptions(in: directory) }
        }
        configuration.directory = directory
        configuration.persistence = .onceReached
        // The gateway is on this machine, and a person waits.
        configuration.longestPause = .seconds(2)
        configuration.connectTimeout = min(timeout, configuration.connectTimeout)
        return configuration
    }

    /// Sends one request and gives the reply, accepted or not.
    func request(
        _ operation: Operation, payload: [UInt8], as device: DeviceAddress
    ) async throws -> GatewayReply {
        try await connect(as: device) { connection in
            do throws(NoReplyError) {
                return try await connection.request(operation, payload: payload, timeout: timeout)
            } catch {
                throw failure(error, device)
            }
        }
    }

    /// Sends a request that gets no reply.
    func notify(_ operation: Operation, payload: [UInt8], as device: DeviceAddress) async throws -> GatewayReply? {
        try await connect(as: device) { connection in
            do throws(NoReplyError) {
                return try await connection.notify(operation, payload: payload, timeout: timeout)
            } catch {
                throw failure(error, device)
            }
        }
    }

    /// Why there is no gateway in the data directory; `nil` if there is one.
    private var absence: String? {
        do throws(ToolError) {
            _ = try endpoint()
            return nil
        } catch {
            return error.message
        }
    }

    private var usesTLS: Bool {
        (try? endpoint())?.transport.isEncrypted ?? false
    }

    /// The broker's address for a device: where it was signed in, or else that of the data directory's gateway.
    func endpoint(of device: DeviceAddress) throws(ToolError) -> LocalEndpoint {
        if let endpoint = try signInRecord(of: device)?.endpoint { return endpoint }
        return try endpoint()
    }

    /// Where the data directory says that its gateway is, if that may be another machine.
    private var remote: LocalEndpoint? {
        guard let endpoint = try? endpoint(), !endpoint.isLoopback else { return nil }
        return endpoint
    }

    /// By the services of Debian's package, whose directory it is, or by the script.
    private var startCommand: String {
        path == "/var/lib/parley" ? "systemctl start parley-broker parleyd" : "scripts/run.sh --data \(path)"
    }

    private func endpoint() throws(ToolError) -> LocalEndpoint {
        do throws(FileError) {
            if let endpoint = try LocalEndpoint.read(in: path) { return endpoint }
        } catch {
            guard error.isMissing else { throw ToolError(.noAnswer, error.description) }
            // What scripts/run-cells.sh has made, which is more than one.
            let cell = "\(path)/cell-1"
            let isOneOfSeveral = (try? LocalEndpoint.read(in: cell)) != nil
            let advice =
                isOneOfSeveral
                ? "of several there name one: --data \(cell)"
                : "start one with: \(startCommand); another directory is named by --data or PARLEY_DATA"
            throw ToolError(.noAnswer, "there is no gateway in \(path); \(advice)")
        }
        throw ToolError(.noAnswer, "\(path)/endpoint.json does not say where the gateway listens")
    }
}

extension GatewayAddress {
    /// What reaches it.
    var transport: any DeviceTransport {
        switch self {
        case .tcp, .tls, .unixSocket: MosquittoTransport()
        case .webSocket: WebSocketTransport()
        }
    }
}

// MARK: What went wrong, in a sentence

extension LocalGateway {
    func failure(_ failure: NoReplyError, _ device: DeviceAddress) -> ToolError {
        switch failure {
        case .ended(let cause), .timedOut(let cause?):
            ToolError(.noAnswer, sentence(cause, device), canBeRepeated: !cause.isOfCredentials)
        case .timedOut(nil):
            ToolError(
                .noAnswer, "no reply within \(timeout.components.seconds) seconds: parleyd does not run, or is behind")
        case .malformedReply, .tooManyWaiting, .cancelled: ToolError(.noAnswer, failure.description)
        }
    }

    func sentence(_ cause: ConnectionError, _ device: DeviceAddress) -> String {
        (try? signInRecord(of: device))?.sentence(cause, device) ?? ownSentence(cause, device)
    }

    /// For the gateway of the data directory.
    private func ownSentence(_ cause: ConnectionError, _ device: DeviceAddress) -> String {
        switch cause {
        case .notAuthorized where device.isOperatorConsole:
            "the gateway does not accept the operator's credentials in \(path)/devices/\(device)"
        case .notAuthorized:
            "the gateway does not accept the credentials of \(device): the token has ended, was revoked or was made "
                + "anew elsewhere; a new one is made by: parley device renew-token \(device.user) \(device.device)"
        case .unreachable(errno: EACCES):
            "the gateway's socket in \(path)/run belongs to another user: run this as the owner of \(path)"
        case .nameNotResolved where !device.isOperatorConsole:
            "the host \(remote?.host ?? "") that \(path)/endpoint.json names is not known on this machine"
        case .unreachable where !device.isOperatorConsole && remote != nil:
            "nobody answers at \(remote?.url ?? ""), which \(path)/endpoint.json names: the gateway does not run there, or "
                + "something between closes the way"
        case .unreachable, .nameNotResolved:
            "the gateway of \(path) is not running; start it with: \(startCommand)"
        case .notReady where !device.isOperatorConsole && usesTLS:
            "the gateway of \(path) closes connections without a word: parleyd does not run, or not yet, or its door turns "
                + "this address away for a while"
        case .notReady: "the gateway of \(path) is not ready: its broker runs and parleyd does not, or not yet"
        case .noCredentials(CredentialsError.missing(let file)) where device.isOperatorConsole:
            "there are no operator's credentials in \(file); the gateway makes them when it starts"
        case .noCredentials(CredentialsError.missing) where absence != nil: absence ?? ""
        case .noCredentials(CredentialsError.missing(let file)):
            "there are no credentials in \(file); they are made by: parley device add \(device.user) \(device.device)"
        case .tlsRequired:
            "the gateway speaks TLS, and \(path)/endpoint.json says that it does not: run parleyd init with --door again"
        case .tlsNotSpoken:
            "the gateway speaks plain MQTT, and \(path)/endpoint.json says TLS: run parleyd init without --door again"
        case .notTrusted:
            (try? endpoint())?.certificateFault
                ?? "the gateway's certificate is not trusted, or is for another name, or it speaks no TLS; "
                + "\(path)/endpoint.json says which name is called and whose certificates are trusted"
        case .timedOut, .lost, .takenOver, .noCredentials, .other: cause.description
        }
    }
}

extension ConnectionError {
    /// Whether it takes other credentials.
    fileprivate var isOfCredentials: Bool {
        switch self {
        case .notAuthorized, .noCredentials: true
        case .notReady, .unreachable, .nameNotResolved, .notTrusted, .tlsRequired, .tlsNotSpoken, .timedOut, .lost,
            .takenOver, .other:
            false
        }
    }
}
