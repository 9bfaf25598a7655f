import ArgumentParser
import ParleyClient
import ParleyProtocol
import PrivateFiles

struct StatusCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "status", abstract: "Shows how the gateway is, and what is wrong with it.",
        discussion: """
            Versions, since when it runs, what waits, who is connected, the sizes of its files, the room on the \
            disk, and when tokens and the certificate end; then what is wrong, a sentence each, with what to do. It \
            is one request of the operator's; of a gateway that does not answer it says what the files show. In JSON \
            what is wrong is the array wrong.

            Exit status, for a probe: 0 all is well; 1 something is wrong; 3 the gateway does not answer.
            """)

    @OptionGroup var common: CommonOptions

    func run() async throws {
        let report = await StatusReport(of: common.gateway)
        common.output.print(json: report.json, as: report.lines(in: .local))
        guard report.status != .accepted else { return }
        throw ExitCode(report.status.rawValue)
    }
}

extension StatusReport {
    /// Asks the gateway, and looks at its files.
    init(of gateway: LocalGateway) async {
        let (answer, failure): (OperatingStatus?, String?)
        do {
            (answer, failure) = (try await gateway.operatingStatus(), nil)
        } catch {
            (answer, failure) = (nil, (error as? ToolError)?.message ?? "\(error)")
        }
        self.init(
            directory: gateway.path, answer: answer, failure: failure, files: StatusFiles(in: gateway.path),
            ownVersion: parleyVersion, now: .now)
    }
}

extension LocalGateway {
    /// - Throws: at once where the gateway's lock shows that it does not run.
    fileprivate func operatingStatus() async throws -> OperatingStatus {
        let lock = "\(path)/\(DataDirectoryLayout.lock)"
        // A broker that runs alone would let this wait for as long as --timeout says.
        if let isHeld = try? FileLock.isHeld(lock), !isHeld, Files.size(of: lock) != nil {
            throw ToolError(
                .noAnswer, "parleyd of \(path) does not run; start it, and look into its log for why it has ended")
        }
        return try await ask(GetOperatingStatus())
    }
}
