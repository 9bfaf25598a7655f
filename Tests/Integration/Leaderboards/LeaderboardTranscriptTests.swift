import Launch
import Foundation
import TestSupport
import Testing

/// What `docs/leaderboards.md` shows, run at a shell as a person would.
@Suite("The transcript of docs/leaderboards.md", .ownThreads, .timeLimit(.minutes(20)))
struct LeaderboardTranscriptTests {
    /// A command and its output on the page.
    private struct Step {
        var command: String
        var output: [String] = []
    }

    private static let page = Document.folder.appending(path: "leaderboards.md")
    private static let mark = "=== next"

    private static func steps() throws -> [Step] {
        var (steps, isOpen, isContinued): ([Step], Bool, Bool) = ([], false, false)
        for line in try String(contentsOf: page, encoding: .utf8).split(separator: "\n") {
            if line.hasPrefix("```") {
                isOpen = line == "```console"
            } else if isOpen, line.hasPrefix("$ ") {
                steps.append(Step(command: String(line.dropFirst(2))))
                isContinued = line.hasSuffix("\\") || line.hasSuffix("; do")
            } else if isOpen, isContinued {
                steps[steps.count - 1].command += "\n" + line
                isContinued = !line.hasSuffix("done") && (line.hasSuffix("\\") || line.hasSuffix("; do"))
            } else if isOpen, !steps.isEmpty {
                steps[steps.count - 1].output.append(String(line))
            }
        }
        return steps
    }

    /// Without the parts that differ each time.
    private static func normal(_ line: String) -> String {
        line.replacing(/\d{4}-\d\d-\d\dT[\d:.]+Z/, with: "TIME").replacing(/\d{4}-W\d\d/, with: "WEEK")
    }

    @Test("every command prints what the page says")
    func transcript() throws {
        let gateway = try TestGateway()
        let steps = try Self.steps()
        try #require(steps.count > 15)
        let (script, output) = (gateway.directory + "/transcript.sh", gateway.directory + "/transcript.out")
        let preamble = """
            cd "$DIR"
            # In a subshell the tool takes its place, so that `kill` reaches the tool.
            parley() {
                [ "$BASHPID" = $$ ] || exec "$TOOL" --data "$DIR" --timeout 300 "$@"
                "$TOOL" --data "$DIR" --timeout 300 "$@"
            }
            """
        try ([preamble] + steps.map { "\($0.command)\necho '\(Self.mark)'" } + ["kill %1"]).joined(separator: "\n")
            .write(toFile: script, atomically: false, encoding: .utf8)
        let shell = try ChildProcess(
            "/usr/bin/env",
            ["DIR=\(gateway.directory)", "TOOL=\(try Programs.path("parley"))", "/bin/bash", script],
            directory: gateway.directory, output: output, errors: output + ".err")
        _ = shell.waitUntilEnded()
        let printed = try String(contentsOfFile: output, encoding: .utf8).components(separatedBy: Self.mark + "\n")
        try #require(printed.count == steps.count + 1)
        for (step, text) in zip(steps, printed) {
            let lines = text.split(separator: "\n").map { Self.normal(String($0)) }
            #expect(lines == step.output.map(Self.normal), "\(step.command)")
        }
        #expect((try? String(contentsOfFile: output + ".err", encoding: .utf8))?.contains("command not found") == false)
    }
}
