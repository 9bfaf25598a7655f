import ArgumentParser
import LogLines
import ParleyBridge

/// In which form a command logs.
struct LogFormatOption: ParsableArguments {
    @Option(help: ArgumentHelp("How it is logged, in place of the setting: text or json.", valueName: "form"))
    var logFormat: String?

    func validate() throws {
        guard logFormat.map({ LogLines.Form(rawValue: $0) != nil }) ?? true else {
            throw ValidationError("--log-format takes text or json")
        }
    }

    /// - Parameter settings: `nil` where they cannot be read.
    func form(_ settings: Settings?) -> LogLines.Form {
        (logFormat ?? settings?.logFormat).flatMap(LogLines.Form.init) ?? .text
    }
}
