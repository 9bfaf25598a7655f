import Launch
import Foundation
import TestSupport
import Testing

/// The tool `parley`, run as a person at a shell runs it, on the data directory of a gateway.
struct ParleyTool: Sendable {
    let data: String
    /// Whose data directory it is, where there is one.
    private let gateway: TestGateway?
    /// Where the output of the runs is kept for as long as they take.
    private let scratch: String

    struct Outcome: Sendable {
        let status: Int32
        let output: String
        let errors: String

        var lines: [String] { output.split(separator: "\n").map(String.init) }
        /// The one JSON value that was printed.
        var json: JSON { (try? JSON(parsing: output.utf8)) ?? .null }
    }

    /// Runs on the data directory of a gateway, each run by the gateway's next cell if it has several.
    init(on gateway: TestGateway) throws { try self.init(data: gateway.directory, of: gateway) }

    init(data: String) throws { try self.init(data: data, of: nil) }

    private init(data: String, of gateway: TestGateway?) throws {
        (self.data, self.gateway) = (data, gateway)
        scratch = "\(NSTemporaryDirectory())/parley-tool-\(UInt64.random(in: 0 ... .max))"
        try FileManager.default.createDirectory(atPath: scratch, withIntermediateDirectories: false)
    }

    /// Removes the files of all runs.
    func removeScratch() {
        try? FileManager.default.removeItem(atPath: scratch)
    }

    /// Whether no device of this name was added.
    func hasNoCredentials(of device: String) -> Bool {
        !FileManager.default.fileExists(atPath: "\(data)/devices/\(device)/credentials.json")
    }

    /// Runs the tool to its end, with `--data` before its other arguments.
    func run(_ arguments: String..., input: String = "") throws -> Outcome { try run(arguments, input: input) }

    /// Runs it to its end, with what people read as its output.
    func read(_ arguments: String..., input: String = "") throws -> Outcome { try read(arguments, input: input) }

    func read(_ arguments: [String], input: String = "") throws -> Outcome {
        try run(["--text"] + arguments, input: input)
    }

    /// Runs it to its end with a terminal as its standard output.
    func onTerminal(_ arguments: [String]) throws -> Outcome {
        let script = #"""
            SHELL=/bin/bash script -qefc "$(printf '%q ' "$0" --data "$@") 2>'\(scratch)/said'" /dev/null | tr -d '\r'
            status=${PIPESTATUS[0]}; cat '\(scratch)/said' >&2; exit "$status"
            """#
        let run = try start(arguments, script: script.replacing(#"\(scratch)"#, with: scratch))
        return Outcome(status: run.child.waitUntilEnded(), output: run.output, errors: run.errors)
    }

    func run(_ arguments: [String], input: String = "") throws -> Outcome {
        let run = try start(arguments, input: input)
        let status = run.child.waitUntilEnded()
        return Outcome(status: status, output: run.output, errors: run.errors)
    }

    /// Runs it to its end with these arguments alone, without the data directory and the time to wait before them.
    func runAlone(_ arguments: [String]) throws -> Outcome {
        let run = try start(arguments, script: #"shift 3; exec "$0" "$@""#)
        return Outcome(status: run.child.waitUntilEnded(), output: run.output, errors: run.errors)
    }

    /// A run that may go on.
    struct Run: Sendable {
        let child: ChildProcess
        fileprivate let files: String

        var output: String { (try? String(contentsOfFile: files + ".out", encoding: .utf8)) ?? "" }
        var errors: String { (try? String(contentsOfFile: files + ".err", encoding: .utf8)) ?? "" }
    }

    /// Starts the tool, which waits for answers as long as a busy machine may take, unless a test says otherwise.
    ///
    /// - Parameter script: for a shell: `$0` is the tool, `$@` the data directory and the arguments.
    func start(
        _ arguments: [String], script: String = "exec \"$0\" --data \"$@\"", input: String = ""
    ) throws -> Run {
        try gateway?.leadOn()
        let files = "\(scratch)/\(UInt64.random(in: 0 ... .max))"
        try Data(input.utf8).write(to: URL(filePath: files + ".in"))
        let patience = arguments.contains("--timeout") ? [] : ["--timeout", "300"]
        let words = ["-c", "exec <\(files).in; \(script)", try Programs.path("parley"), data] + patience + arguments
        let child = try ChildProcess(
            "/bin/bash", words,
            directory: scratch, output: files + ".out", errors: files + ".err")
        return Run(child: child, files: files)
    }
}

/// The fixture of a suite that runs the tool on a gateway of its own.
class ToolSuite {
    let gateway: TestGateway
    let parley: ParleyTool

    init() throws {
        gateway = try TestGateway()
        parley = try ParleyTool(on: gateway)
    }

    deinit { parley.removeScratch() }

    func addUser(_ user: String, _ arguments: String..., device: Bool = true) throws {
        try #require(try parley.run(["user", "add", user] + arguments).status == 0)
        if device { try #require(try parley.run("device", "add", user, "phone").status == 0) }
    }
}
