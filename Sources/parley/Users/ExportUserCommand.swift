import ArgumentParser
import ParleyClient
import ParleyProtocol
import PrivateFiles

struct ExportUserCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "export", abstract: "Writes what the gateway holds of a user into a file, one JSON object a line.",
        discussion: """
            Each line has type and data: the account, devices, ways to sign in, whom they follow and have blocked, \
            conversations with their members, what they have sent as the ciphertext that the gateway has, files, workouts, \
            challenges, notifications, reports that they have made. There is no content of others in it, and no secret that \
            signs in. The file is readable by its owner alone, and there only when it is whole; one that is there is not \
            replaced.

            Example:
              parley user export alice --output alice.jsonl
            """)

    @Argument(help: ArgumentHelp("The user's id.", valueName: "UID")) var user: UserID
    @Option(help: ArgumentHelp("The file that is made.", valueName: "FILE")) var output: String
    @OptionGroup var common: CommonOptions

    func run() async throws {
        let (user, output) = (user, output)
        let lines = try await common.gateway.asOperator { session in
            try await Self.write(user, to: output, session)
        }
        common.output.print(
            json: JSONWriter.object { object in
                object.member("file", output)
                object.member("lines", lines)
            }, as: ["\(output): \(lines) lines"])
    }

    private static func write(
        _ user: UserID, to path: String, _ session: OperatorSession
    ) async throws -> Int {
        do {
            guard try Files.identity(of: path) == nil else { throw taken(path) }
            var file = try FileWriter(path)
            var lines = 0
            var cursor: String?
            repeat {
                let page = try await session.data(
                    of: ExportUser(user: user, page: Page(limit: Limits.pageItems, cursor: cursor)))
                for item in try page.objects("items", maximum: Limits.pageItems) ?? [] {
                    var line = Array(item.source[item.place])
                    line.append(UInt8(ascii: "\n"))
                    try file.write(line.span)
                    lines += 1
                }
                cursor = try page.text("next_cursor", maximum: 1024)
            } while cursor != nil
            guard try file.commit(asNew: path) else { throw taken(path) }
            return lines
        } catch let error as FileError {
            throw ToolError(.noAnswer, error.description.printable)
        }
    }

    private static func taken(_ path: String) -> ToolError {
        ToolError(.noAnswer, "\(path.printable) is there already; another file is named by --output")
    }
}
