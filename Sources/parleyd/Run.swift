import ArgumentParser
import Dispatch
import Foundation
import LogLines
import Logging
import ParleyBridge
import Platform

struct Run: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "run",
        abstract: "Run the gateway until SIGTERM or SIGINT; SIGHUP has it read its settings again.",
        discussion: """
            The broker must run with the configuration that `parleyd init` has made; while it does not, the gateway \
            says so and waits. A line that begins `parley: ready` on standard output says that devices can sign in, and so \
            does READY=1 to the service manager that NOTIFY_SOCKET names; where WATCHDOG_USEC asks for it, WATCHDOG=1 \
            follows for as long as the gateway's loops go round.
            """)

    @OptionGroup var data: DirectoryOptions

    @OptionGroup(title: "A database on a server") var store: StoreOptions

    @Option(
        help: ArgumentHelp(
            "What is logged on standard error, in place of the setting: debug, info, notice, warning or error.",
            valueName: "level"))
    var logLevel: String?

    @OptionGroup var format: LogFormatOption

    func validate() throws {
        guard logLevel.map({ Logger.Level(rawValue: $0) != nil }) ?? true else {
            throw ValidationError("--log-level takes debug, info, notice, warning or error")
        }
    }

    private func level(_ settings: Settings) -> Logger.Level {
        Logger.Level(rawValue: logLevel ?? settings.logLevel) ?? .notice
    }

    func run() async throws {
        // A broken pipe or a file at its size limit is an error of one call, not the end of the process.
        signal(SIGPIPE, SIG_IGN)
        signal(SIGXFSZ, SIG_IGN)
        do {
            try await serve(data.directory)
        } catch {
            log(error)
            // Tells the service manager that starting this again is no use (`EX_CONFIG` of sysexits.h).
            let isLasting = (error as? any LastingError)?.isLasting ?? false
            throw isLasting ? ExitCode(EX_CONFIG) : ExitCode.failure
        }
    }

    /// Logs why the gateway ends by itself. The settings may be the reason.
    private func log(_ failure: any Error) {
        let lines = LogLines(
            component: "parleyd", form: format.form(try? data.directory.readSettings()), level: .error)
        for line in "\(failure)".split(separator: "\n") { lines.logger.error("\(line)") }
    }

    /// Runs the gateway, and answers probes meanwhile. It needs none to serve devices.
    private func run(_ gateway: Gateway, with probes: ProbeServer?, _ logger: Logger) async throws {
        try await withThrowingTaskGroup(of: Void.self) { group in
            defer { probes?.stop() }
            if let probes {
                group.addTask {
                    do {
                        try await probes.run()
                    } catch {
                        logger.error("probes are answered no more", metadata: ["reason": "\(error)"])
                    }
                }
            }
            try await gateway.run()
        }
    }

    /// - Returns: `nil` where the settings want none.
    private func probeServer(of gateway: Gateway, _ settings: Settings, _ logger: Logger) throws -> ProbeServer? {
        guard let port = UInt16(exactly: settings.probePort), port > 0 else { return nil }
        return try ProbeServer(port: port, logger: logger) { [probes = gateway.probes] in probes.answer($0) }
    }

    /// Logs what is wrong with the broker's configuration. The gateway runs all the same: the broker that it meets may
    /// have been given another one.
    private func warn(of check: BrokerConfigurationCheck, _ logger: Logger) {
        for sentence in check.problems + check.warnings {
            logger.warning("the broker's configuration is dangerous", metadata: ["reason": "\(sentence)"])
        }
    }

    private func serve(_ directory: DataDirectory) async throws {
        let settings = try directory.readSettings()
        let lock = try DirectoryLock(directory)
        let lines = LogLines(
            component: "parleyd", form: format.form(settings), level: level(settings))
        let logger = lines.logger
        let location = try store.location()
        warn(of: BrokerConfigurationCheck(directory, settings, broker: .installed()), logger)
        let devices = directory.deviceURL.map { ", devices at \($0)" } ?? ""
        let announcement = ReadyLine(
            text: "parley: ready\(devices) (parleyd \(parleyVersion), data in \(directory.path))")
        let manager = ServiceManager()
        let gateway = try Gateway(
            directory: directory, settings: settings, location: location, logger: logger,
            onReady: {
                announcement.print()
                manager?.send(.ready)
            })
        let ends = Signals([SIGTERM, SIGINT]) {
            manager?.send(.stopping)
            gateway.stop()
        }
        defer { ends.cancel() }
        let reloads = Signals([SIGHUP]) {
            guard let settings = reload(gateway, from: directory, logger) else { return }
            lines.level = level(settings)
        }
        defer { reloads.cancel() }
        let probes = try probeServer(of: gateway, settings, logger)
        try await withThrowingTaskGroup(of: Void.self) { group in
            group.addTask { try await run(gateway, with: probes, logger) }
            if let manager { group.addTask { await manager.keepAlive { gateway.isAlive(within: $0) } } }
            // The watch ends by being cancelled alone.
            try await group.next()
            group.cancelAll()
        }
        lock.release()
    }
}

/// Reads the settings again, and takes over what can change while the gateway runs. Settings with a mistake change
/// nothing.
///
/// - Returns: `nil` where there was a mistake.
private func reload(_ gateway: Gateway, from directory: DataDirectory, _ logger: Logger) -> Settings? {
    let settings: Settings
    do throws(DataDirectoryError) {
        settings = try directory.readSettings()
    } catch {
        for line in "\(error)".split(separator: "\n") {
            logger.error(
                "the settings are as before: there is a mistake in the new ones", metadata: ["reason": "\(line)"])
        }
        return nil
    }
    let reload = gateway.reload(settings)
    let names = reload.reloaded.isEmpty ? "none" : reload.reloaded.joined(separator: " ")
    logger.notice("the settings were read again", metadata: ["changed": "\(names)"])
    for name in reload.needingRestart {
        logger.warning("a setting has changed that holds from the next start on", metadata: ["setting": "\(name)"])
    }
    return settings
}

/// Calls back when the process gets one of these signals.
private struct Signals {
    private let sources: [any DispatchSourceSignal]

    init(_ numbers: [Int32], _ handler: @escaping @Sendable () -> Void) {
        sources = numbers.map { number in
            signal(number, SIG_IGN)
            let source = DispatchSource.makeSignalSource(signal: number, queue: .global())
            source.setEventHandler(handler: handler)
            source.resume()
            return source
        }
    }

    func cancel() {
        for source in sources { source.cancel() }
    }
}
