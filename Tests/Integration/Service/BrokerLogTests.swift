import Foundation
import Launch
import Platform
import TestSupport
import Testing

@Suite("The broker's log in the form of the gateway's", .ownThreads)
struct BrokerLogTests {
    private let directory: TemporaryDirectory

    init() throws { directory = try TemporaryDirectory() }

    private var output: String { (try? String(contentsOfFile: "\(directory.path)/output", encoding: .utf8)) ?? "" }

    /// `parleyd broker-log` with a pipe before it.
    private struct Translation {
        let process: ChildProcess
        private let pipe: Int32

        init(in directory: String, _ arguments: [String]) throws {
            let path = "\(directory)/pipe"
            try #require(unsafe mkfifo(path, 0o600) == 0)
            pipe = unsafe open(path, O_RDWR | O_CLOEXEC)
            let command = #"program=$1; shift; exec "$program" broker-log "$@" <"$0""#
            process = try ChildProcess(
                "/bin/sh", ["-c", command, path, try Programs.path("parleyd")] + arguments,
                output: "\(directory)/output")
        }

        func write(_ line: String) {
            let bytes = Array("\(line)\n".utf8)
            #expect(unsafe Platform.write(pipe, bytes, bytes.count) == bytes.count)
        }

        func end() -> Int32 {
            close(pipe)
            return process.waitUntilEnded()
        }
    }

    @Test("it ends with its input and by no signal that the broker gets, and settings with mistakes leave it as text")
    func signals() throws {
        try directory.write(#"{"log_format":"json","no_such":1}"#, to: "parleyd.json")
        let translation = try Translation(in: directory.path, ["--data", directory.path])
        translation.write("2026-01-15T09:30:00: Warning: one")
        try eventually("the first line") { output.isEmpty ? nil : () }
        for signal in [SIGHUP, SIGINT, SIGTERM, SIGUSR1, SIGUSR2] { translation.process.send(signal) }
        translation.write("2026-01-15T09:30:01: two")
        #expect(translation.end() == 0)
        #expect(
            output == """
                2026-01-15T09:30:00.000Z warning mosquitto one
                2026-01-15T09:30:01.000Z notice mosquitto two

                """)
    }

    @Test("it writes JSON by the setting or the option, which goes first", arguments: ["json", "text"])
    func form(setting: String) throws {
        try directory.write(#"{"log_format":"\#(setting)"}"#, to: "parleyd.json")
        let option = setting == "json" ? "text" : "json"
        let text = "2026-01-15T09:30:00.000Z error mosquitto one\n"
        let json =
            #"{"time":"2026-01-15T09:30:00.000Z","level":"error","component":"mosquitto","message":"one"}"# + "\n"
        for (arguments, form) in [([], setting), (["--log-format", option], option)] {
            let translation = try Translation(in: directory.path, ["--data", directory.path] + arguments)
            translation.write("2026-01-15T09:30:00: Error: one")
            // Without a reader what is in the pipe ends with its writer.
            try eventually("the line") { output.isEmpty ? nil : () }
            #expect(translation.end() == 0)
            #expect(output == (form == "json" ? json : text))
            for name in ["pipe", "output"] { try FileManager.default.removeItem(atPath: "\(directory.path)/\(name)") }
        }
    }
}
