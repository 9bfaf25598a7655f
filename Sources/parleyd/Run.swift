import ArgumentParser
import Dispatch
import Foundation
import Logging
import ParleyBridge
import Platform

struct Run: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "run",
        abstract: "Run the gateway until SIGTERM or SIGINT.",
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
            "What is logged on standard error: debug, info, notice, warning or error.", valueName: "level"))
    var logLevel = "notice"

    func validate() throws {
        guard Logger.Level(rawValue: logLevel) != nil else {
            throw ValidationError("--log-level takes debug, info, notice, warning or error")
        }
    }

    func run() async throws {
        // A broken pipe or a file at its size limit is an error of one call, not the end of the process.
        signal(SIGPIPE, SIG_IGN)
        signal(SIGXFSZ, SIG_IGN)
        do {
            try await serve(data.directory)
        } catch let failure as any LastingError where failure.isLasting {
            // Tells the service manager that starting this again is no use (`EX_CONFIG` of sysexits.h).
            FileHandle.standardError.write(Data("Error: \(failure)\n".utf8))
            throw ExitCode(EX_CONFIG)
        }
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
        var logger = Logger(label: "parleyd") { StreamLogHandler.standardError(label: $0) }
        logger.logLevel = Logger.Level(rawValue: logLevel) ?? .notice
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
        let signals = TerminationSignals {
            manager?.send(.stopping)
            gateway.stop()
        }
        defer { signals.cancel() }
        try await withThrowingTaskGroup(of: Void.self) { group in
            group.addTask { try await gateway.run() }
            if let manager { group.addTask { await manager.keepAlive { gateway.isAlive(within: $0) } } }
            // The watch ends by being cancelled alone.
            try await group.next()
            group.cancelAll()
        }
        lock.release()
    }
}

/// Calls back when the process is asked to end.
private struct TerminationSignals {
    private let sources: [any DispatchSourceSignal]

    init(_ handler: @escaping @Sendable () -> Void) {
        sources = [SIGTERM, SIGINT].map { number in
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
