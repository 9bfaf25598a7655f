import ArgumentParser
import ParleyClient
import ParleyProtocol
import PrivateFiles

struct OpenPushCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "open", abstract: "Opens the payload of a push, without a connection.",
        discussion: """
            As an app's extension does it: by the device's keys and what is kept of its messages, which are only read, also \
            beside a running `parley chat` of the device. FILE holds the notification object as JSON, as a webhook gets it \
            and APNs and FCM bring it under parley. What cannot be opened says why.

            Examples:
              parley push open --as bob/phone payload.json
              curl -s https://example.org/last | parley push open --as bob/phone --json -
            """)

    @OptionGroup var reader: SenderOptions

    @Argument(help: ArgumentHelp("The payload; - reads it from standard input.", valueName: "FILE"))
    var file: String

    @OptionGroup var common: CommonOptions

    func run() async throws {
        let payload = file == "-" ? try StandardInput.read() : try readFile()
        let gateway = common.gateway
        let device = try reader.device(gateway)
        let directory = DeviceDirectory(of: device, in: gateway.path)
        let opener = PushOpener(keys: try gateway.keyStore(of: device), directory: directory)
        let push: OpenedPush
        do throws(PushError) {
            push = try opener.open(push: payload)
        } catch {
            throw ToolError(.noAnswer, error.description.printable)
        }
        common.output.print(json: push.json, as: [push.line(in: .local, LatestBadge(push.badge))])
    }

    private func readFile() throws(ToolError) -> [UInt8] {
        do throws(FileError) {
            return try Files.read(file, maximum: Limits.packetBytes).bytes
        } catch {
            throw ToolError(.noAnswer, error.description.printable)
        }
    }
}
