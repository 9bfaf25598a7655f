import ArgumentParser
import ParleyIdentity
import ParleyProtocol
import PrivateFiles

struct CodeCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "code", abstract: "Shows the newest code that a development's gateway has mailed to an address.",
        discussion: """
            For gateways whose mails become files, by the setting mail_sink, as `scripts/run.sh` sets it up at a first \
            start. A mail is written a moment after it was asked for.

            Example:
              parley code alice@example.org
            """)

    @Argument(help: ArgumentHelp("The address.", valueName: "EMAIL")) var email: EmailAddress
    @OptionGroup var common: CommonOptions

    func run() throws {
        let directory = try common.gateway.mailDirectory()
        let code: AccountCode?
        do throws(FileError) {
            code = try MailDirectory.newestCode(in: directory, for: email)
        } catch {
            // It is made with the first mail.
            guard error.isMissing else { throw ToolError(.noAnswer, error.description.printable) }
            code = nil
        }
        guard let code else {
            throw ToolError(.noAnswer, "no mail in \(directory) has a code for \(email), or not yet")
        }
        common.output.print(value: code.digits, named: "code")
    }
}

extension LocalGateway {
    /// Where the gateway of the data directory writes its mails.
    fileprivate func mailDirectory() throws(ToolError) -> String {
        let settings = "\(path)/\(DataDirectoryLayout.settings)"
        let bytes: [UInt8]
        do throws(FileError) {
            bytes = try Files.read(settings, maximum: 1 << 20).bytes
        } catch {
            throw ToolError(
                .noAnswer,
                error.isMissing ? "there is no gateway in \(path)" : error.description.printable)
        }
        guard let object = try? JSONObject(parsing: bytes) else {
            throw ToolError(.noAnswer, "\(settings) is not JSON; see: parley check-config")
        }
        guard let sink = try? object.text("mail_sink", maximum: 512), !sink.isEmpty else {
            throw ToolError(
                .noAnswer, "the gateway of \(path) keeps no mails; only one with the setting mail_sink does")
        }
        return sink.hasPrefix("/") ? sink : "\(path)/\(sink)"
    }
}
