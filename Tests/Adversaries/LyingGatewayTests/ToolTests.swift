import Foundation
import LyingGateway
import TestSupport
import Testing

@Suite("parley and parley-liar", .ownThreads, .timeLimit(.minutes(20)))
struct ToolTests {
    private let liar: Liar

    init() throws { liar = try Liar() }

    @Test("an honest gateway gets a message that nobody else can read, and nobody is warned")
    func honest() throws {
        for _ in 1...2 {
            let sent = try liar.send("a secret")
            #expect(sent.status == 0, "\(sent.errors)")
            #expect(!sent.errors.contains("WARNING") && !sent.errors.contains("changed"))
        }
        #expect(try liar.end().isEmpty)
    }

    /// One of each family, told after something was sent.
    private static let lies: [Lie] = [
        .conversation(.thirdOnCreate), .conversation(.anotherOnCreate), .keys(.otherIdentity), .keys(.ghost),
        .refusal(.leavesOutHonest), .event(.linkApproved), .sender(.anothersName), .push(.pushedUnderAnothersName),
        .endless(.history),
    ]

    @Test("one lie of each kind: nothing is read, and where nothing is sent the tool says why", arguments: lies)
    func lie(_ lie: Lie) throws {
        #expect(try liar.send("before").status == 0)
        try liar.command(lie.name)
        let sent = try liar.send("a secret")
        #expect(try liar.end().isEmpty)
        #expect(sent.status == 0 || sent.errors.contains("parley: "), "\(sent.status) and no word")
    }

    @Test("a lie from the first moment on is the option's, and a wrong name is refused")
    func option() throws {
        let liar = try Liar("--lie", "swappedUnderRandomID")
        let sent = try liar.send("a secret")
        #expect(sent.status == 1)
        #expect(sent.errors.contains("WARNING: the gateway has answered with another conversation"))
        #expect(try liar.end().isEmpty)
        let wrong = try ToolRun("parley-liar", ["--data", NSTemporaryDirectory(), "--lie", "none"])
        #expect(wrong.status != 0 && wrong.errors.contains("there is no such lie"))
    }
}

/// `parley-liar`, running, with a data directory of its own.
private final class Liar {
    private let program = Process()
    private let input = Pipe()
    private let output = Pipe()
    private let data = "\(NSTemporaryDirectory())/liar-\(UInt64.random(in: 0 ... .max))"
    private var readings: [String] = []
    private var pending = Data()

    init(_ arguments: String...) throws {
        // A program that another test starts would hold the end of the input open otherwise, and this one never end.
        for end in [input.fileHandleForWriting, output.fileHandleForReading] {
            _ = fcntl(end.fileDescriptor, F_SETFD, FD_CLOEXEC)
        }
        program.executableURL = try ToolRun.path("parley-liar")
        program.arguments = ["--data", data] + arguments
        program.standardInput = input
        program.standardOutput = output
        try program.run()
        try awaitLine("listening")
    }

    deinit {
        if program.isRunning { program.terminate() }
        try? FileManager.default.removeItem(atPath: data)
    }

    func send(_ text: String) throws -> ToolRun {
        try ToolRun("parley", ["send", "--data", data, "--as", "alice/phone", "--to", "bob", text])
    }

    func command(_ line: String) throws {
        try input.fileHandleForWriting.write(contentsOf: Data((line + "\n").utf8))
        try awaitLine("done: \(line)")
    }

    /// Ends it.
    ///
    /// - Returns: the lines of what the attacker has read.
    func end() throws -> [String] {
        try input.fileHandleForWriting.close()
        while try nextLine() != nil {}
        program.waitUntilExit()
        #expect(program.terminationStatus == 0)
        return readings
    }

    private func awaitLine(_ prefix: String) throws {
        while let line = try nextLine() {
            if line.hasPrefix(prefix) { return }
        }
        throw CocoaError(.fileReadUnknown)
    }

    private func nextLine() throws -> String? {
        while true {
            if let end = pending.firstIndex(of: UInt8(ascii: "\n")) {
                let line = String(decoding: pending[pending.startIndex..<end], as: UTF8.self)
                pending.removeSubrange(pending.startIndex...end)
                if line.hasPrefix("READ ") { readings.append(line) }
                return line
            }
            let more = output.fileHandleForReading.availableData
            guard !more.isEmpty else { return nil }
            pending += more
        }
    }
}

/// A program, run to its end.
private struct ToolRun {
    let status: Int32
    let errors: String

    init(_ name: String, _ arguments: [String]) throws {
        let program = Process()
        let errors = Pipe()
        program.executableURL = try ToolRun.path(name)
        program.arguments = arguments
        program.standardInput = FileHandle.nullDevice
        program.standardOutput = FileHandle.nullDevice
        program.standardError = errors
        try program.run()
        self.errors = String(decoding: errors.fileHandleForReading.readDataToEndOfFile(), as: UTF8.self)
        program.waitUntilExit()
        status = program.terminationStatus
    }

    /// Beside the tests' own bundle.
    static func path(_ name: String) throws -> URL {
        URL(filePath: try FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/exe"))
            .deletingLastPathComponent().appending(path: name)
    }
}
