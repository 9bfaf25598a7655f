import ArgumentParser
import Platform

struct CheckConfigCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "check-config", abstract: "Checks the gateway's settings and its broker's configuration.",
        discussion: """
            Reads DIR/parleyd.json and DIR/mosquitto.conf and changes nothing. What the settings mean is known to \
            parleyd alone: this runs the `parleyd check-config` that lies beside this program.
            """)

    @OptionGroup var common: CommonOptions

    func validate() throws { try common.output.refuse(\.json, because: "parley doctor has what it finds as JSON") }

    func run() throws { try Daemon.run(["check-config", "--data", common.gateway.path]) }
}

struct DoctorCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "doctor",
        abstract: "Checks configuration, files, disk, clock, database, broker and doors, a line each.",
        discussion: """
            In JSON it is one object with is_well and checks. Nothing is changed, whether the gateway runs or not. \
            Run it as the owner of DIR, or as root: it runs the `parleyd doctor` that lies beside this program.

            Exit status: 0 nothing is wrong; 1 something is.
            """)

    @Flag(help: "Check the database row by row with its indexes, and the newest backup's digest, which takes long.")
    var thorough = false
    @Flag(help: "Look for no database file: it is on a server.") var withoutDatabase = false
    @OptionGroup var common: CommonOptions

    func run() throws {
        let flags =
            (thorough ? ["--thorough"] : []) + (common.output.isJSON ? ["--json"] : [])
            + (withoutDatabase ? ["--without-database"] : [])
        try Daemon.run(["doctor", "--data", common.gateway.path] + flags)
    }
}

/// The `parleyd` that lies beside this program.
private enum Daemon {
    /// Runs it in the place of this process.
    static func run(_ arguments: [String]) throws(ToolError) -> Never {
        guard let ownPath, let slash = ownPath.lastIndex(of: "/") else {
            throw ToolError(.noAnswer, "it is not known where this program lies")
        }
        let daemon = ownPath[..<slash] + "/parleyd"
        let failure = replaceProcess(String(daemon), arguments)
        throw ToolError(.noAnswer, "\(daemon) cannot be run: \(SystemError.reason(failure))")
    }

    /// `readlink` of the program that runs.
    private static var ownPath: String? {
        let path = unsafe [CChar](unsafeUninitializedCapacity: Int(PATH_MAX)) { buffer, count in
            guard let start = buffer.baseAddress else { return }
            count = max(0, unsafe readlink("/proc/self/exe", start, buffer.count))
        }
        return path.isEmpty ? nil : String(decoding: path.map { UInt8(bitPattern: $0) }, as: UTF8.self)
    }

    /// `execv`: the program takes this one's place, so that output and status are its own. Returns only when it fails,
    /// with the reason.
    private static func replaceProcess(_ path: String, _ arguments: [String]) -> Int32 {
        var strings = unsafe ([path] + arguments).map { unsafe strdup($0) }
        unsafe strings.append(nil)
        unsafe execv(path, strings)
        return errno
    }
}
