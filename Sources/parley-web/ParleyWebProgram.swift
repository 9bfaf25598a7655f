import ArgumentParser
import Foundation
import LogLines
import Logging
import Metrics
import ParleyWeb
import Platform
import ServiceLifecycle
import UnixSignals

@main
struct ParleyWebProgram: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "parley-web",
        abstract: "The web door of a gateway: HTTP and WebSockets for apps that speak no MQTT.",
        discussion: """
            It has no rights of its own: it asks the broker with the token that each app shows. It listens on loopback; \
            TLS is for the proxy before it. A line that begins `parley-web: ready` on standard output says that apps \
            can come, and so does READY=1 to the service manager that NOTIFY_SOCKET names; where WATCHDOG_USEC asks for it, \
            WATCHDOG=1 follows for as long as the door answers. SIGTERM or SIGINT ends it, once requests under way are answered. Several may run beside each \
            other, each with a name of its own.
            """)

    @Option(help: ArgumentHelp("Where to listen.", valueName: "ip"))
    var address = "127.0.0.1"

    @Option(help: ArgumentHelp("The port to listen on; 0 for any that is free.", valueName: "n"))
    var port: UInt16 = 9893

    @Option(help: ArgumentHelp("Where the broker listens for MQTT over TCP.", valueName: "host:port"))
    var broker = "127.0.0.1:1893"

    @Option(
        help: ArgumentHelp(
            """
            What tells this door's connections from others of the same devices: 1 to 16 letters, digits, _ or -; the \
            same at each start, and another for each of several doors. Without it, web-PORT.
            """, valueName: "text"))
    var name: String?

    @Option(
        help: ArgumentHelp(
            "An origin whose pages may use the door from a browser, such as https://app.example; may be repeated.",
            valueName: "origin"))
    var origin: [String] = []

    @Option(
        help: ArgumentHelp(
            "A file with 32 bytes, the secret of tickets that several doors behind one balancer share.",
            valueName: "file"))
    var ticketKeyFile: String?

    @Option(
        help: ArgumentHelp(
            """
            The credentials of the door's own device, devices/web/door/credentials.json in the gateway's data directory, \
            by which people sign in who have no token yet; without it, nobody does here.
            """, valueName: "file"))
    var accounts: String?

    @Option(
        help: ArgumentHelp(
            "The broker's Unix socket, by which the door's own device connects; without it, as the others.",
            valueName: "path"))
    var accountsSocket: String?

    @Flag(
        help: """
            Believe the last entry of X-Forwarded-For, by which attempts to sign in are counted. For a door that is \
            reached by a proxy alone, which writes it.
            """)
    var forwardedFor = false

    @Flag(help: "Let ?token=TOKEN sign in at /ws. What stands in a URL ends in the logs of proxies.")
    var tokenInURL = false

    @OptionGroup
    var blobs: BlobOptions

    @Option(
        help: ArgumentHelp(
            """
            The folder of a page that is served at /, such as Sources/WebPage; it is read at the start. Without it, there \
            is none.
            """, valueName: "directory"))
    var page: String?

    @Option(
        help: ArgumentHelp(
            "A port on loopback for /livez, /readyz and /metrics; without it, nowhere.", valueName: "n"))
    var metricsPort: UInt16?

    @Option(
        help: ArgumentHelp(
            """
            What is logged on standard error: debug, info, notice, warning or error. SIGUSR1 turns debug on, and off again.
            """, valueName: "level"))
    var logLevel = "notice"

    @Option(help: ArgumentHelp("How it is logged: text or json.", valueName: "form"))
    var logFormat = "text"

    func run() async throws {
        signal(SIGPIPE, SIG_IGN)
        let level = try option("--log-level", Logger.Level(rawValue: logLevel))
        let lines = LogLines(
            component: "parley-web", form: try option("--log-format", LogLines.Form(rawValue: logFormat)), level: level)
        let logger = lines.logger
        let registry = MetricsRegistry(meanings: DoorMetrics.meanings)
        MetricsSystem.bootstrap(registry)
        let address = address
        let manager = ServiceManager()
        let door = WebDoor(try configuration(), logger: logger) { port in
            // One write, which no other output divides.
            FileHandle.standardOutput.write(Data("parley-web: ready, http://\(address):\(port)\n".utf8))
            manager?.send(.ready)
        }
        let signals = await UnixSignalsSequence(trapping: .sigusr1)
        var services: [any Service] = [door, DebugSwitch(lines: lines, usual: level, signals: signals)]
        if let manager { services.append(ManagedDoor(manager: manager, door: door)) }
        if let metricsPort {
            services.append(MetricsServer(registry, of: door, port: Int(metricsPort), logger: logger))
        }
        var group = ServiceGroupConfiguration(
            services: services.map { .init(service: $0) }, gracefulShutdownSignals: [.sigint, .sigterm], logger: logger)
        group.maximumGracefulShutdownDuration = .seconds(20)
        do {
            try await ServiceGroup(configuration: group).run()
        } catch {
            logger.error("\(error)")
            throw ExitCode.failure
        }
    }

    private func configuration() throws -> WebConfiguration {
        let brokerAddress = try option("--broker", BrokerAddress(broker))
        let name = try option("--name", ConnectionName(name ?? "web-\(port)"))
        var configuration = WebConfiguration(port: Int(port), link: BrokerConfiguration(brokerAddress, name: name))
        configuration.address = address
        configuration.allowedOrigins = Set(origin)
        configuration.takesTokenInURL = tokenInURL
        configuration.accounts = try accountConfiguration()
        configuration.blobs = try blobs.configuration(hasAccounts: accounts != nil)
        configuration.page = try pageFiles()
        if let ticketKeyFile {
            guard let key = FileManager.default.contents(atPath: ticketKeyFile) else {
                throw ValidationError("--ticket-key-file: the file cannot be read")
            }
            guard key.count == 32 else { throw ValidationError("--ticket-key-file: the file has not 32 bytes") }
            configuration.ticketKey = Array(key)
        }
        return configuration
    }

    private func accountConfiguration() throws -> AccountConfiguration? {
        guard let accounts else {
            guard accountsSocket == nil, !forwardedFor else {
                throw ValidationError("--accounts-socket and --forwarded-for belong to --accounts")
            }
            return nil
        }
        var configuration = AccountConfiguration {
            FileManager.default.contents(atPath: accounts).map { Array($0) }
        }
        configuration.broker = accountsSocket.map { .unixSocket(path: $0) }
        configuration.takesForwardedAddress = forwardedFor
        return configuration
    }

    private func pageFiles() throws -> PageFiles? {
        guard let page else { return nil }
        do throws(PageError) {
            return try PageFiles(directory: page)
        } catch {
            throw ValidationError("--page: \(error)")
        }
    }
}

func option<Value>(_ name: String, _ value: Value?) throws -> Value {
    guard let value else { throw ValidationError("\(name) does not take this; see parley-web --help") }
    return value
}
