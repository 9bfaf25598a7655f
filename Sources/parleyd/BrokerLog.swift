import ArgumentParser
import LogLines
import Logging
import ParleyBridge
import Platform

struct BrokerLog: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "broker-log",
        abstract: "Bring the log of Mosquitto, on standard input, into the form of the gateway's own.",
        discussion: """
            Writes a line on standard output for each one that Mosquitto logs, and ends with its input. Signals that end \
            the broker or have it reload do not end this, so that its last lines are not lost. Settings that cannot be \
            read leave the form as text.
            """)

    @OptionGroup var data: DirectoryOptions

    @OptionGroup var format: LogFormatOption

    func run() throws {
        // A service manager sends the broker's signals to this too. If nobody reads the output, lines are dropped and
        // the broker goes on.
        for number in [SIGHUP, SIGINT, SIGTERM, SIGUSR1, SIGUSR2, SIGPIPE] { signal(number, SIG_IGN) }
        let settings = try? data.directory.readSettings()
        let lines = LogLines(
            component: "mosquitto", form: format.form(settings), level: .debug, write: StandardOutput.write)
        var log = MosquittoLog(to: lines)
        while true {
            let bytes = try StandardInput.read(maximum: 65_536)
            guard !bytes.isEmpty else { break }
            log.append(bytes)
        }
        log.finish()
    }
}
