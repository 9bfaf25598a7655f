import LogLines
import Logging
import ServiceLifecycle
import UnixSignals

/// Logs from `debug` on after one SIGUSR1, and after the next from the usual level on.
struct DebugSwitch: Service {
    let lines: LogLines
    let usual: Logger.Level
    /// Of SIGUSR1: begun before anybody can send one, which would end the program.
    let signals: UnixSignalsSequence

    func run() async throws {
        var isOn = false
        for await _ in signals.cancelOnGracefulShutdown() {
            isOn.toggle()
            lines.level = min(usual, .debug)
            lines.logger.debug("debug is turned \(isOn ? "on" : "off")")
            if !isOn { lines.level = usual }
        }
    }
}
