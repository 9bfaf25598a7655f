import LogLines
import Logging
import ServiceLifecycle
import UnixSignals

/// Logs from `debug` on after one SIGUSR1, and after the next from the usual level on.
struct DebugSwitch: Service {
    let lines: LogLines
    let usual: Logger.Level

    func run() async throws {
        for await _ in await UnixSignalsSequence(trapping: .sigusr1).cancelOnGracefulShutdown() {
            let isUsual = lines.level == usual
            lines.level = .debug
            lines.logger.debug("debug is turned \(isUsual ? "on" : "off")")
            if !isUsual { lines.level = usual }
        }
    }
}
