import ArgumentParser
import Foundation
import ParleyClient
import ParleyCrypto
import ParleyProtocol

struct LinkCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "link", abstract: "Links a new device of a user to those that the user has.",
        discussion: """
            A new device gets the user's account key from one that has it, and is certified by it: then others seal for it, \
            and the safety number stays as it is.

            On the new device `parley link` shows a code, as text and for scanning, and waits, ten minutes at most. On one \
            of the others `parley link approve` takes it. Both show three groups of digits then: the new device takes the \
            account key when the person says that they are the same.

            Examples:
              parley link --as alice/laptop
              parley link approve --as alice/phone parley-link/1/alice/laptop/...
            """,
        subcommands: [OfferLinkCommand.self, ApproveLinkCommand.self], defaultSubcommand: OfferLinkCommand.self)

    @OptionGroup var common: CommonOptions
}

struct OfferLinkCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "offer", abstract: "Shows a code by which another device of the user links this one, and waits.")

    @OptionGroup var sender: SenderOptions

    @Option(
        help: ArgumentHelp(
            "The digits that the other device shows, in place of being asked.", valueName: "DIGITS"))
    var confirm: String?

    @OptionGroup var common: CommonOptions

    func run() async throws {
        let gateway = common.gateway
        try await gateway.offerLink(as: sender.device(gateway), confirm: confirm, by: common.output)
    }
}

extension LocalGateway {
    /// Shows a code by which another device of the user links this one, and waits until it has.
    ///
    /// - Parameter confirm: the digits that the other device shows; `nil` asks for them.
    func offerLink(as device: DeviceAddress, confirm: String? = nil, by output: OutputOptions) async throws {
        let timeout = timeout
        try await messaging(as: device, storage: .memory) { client in
            try await client.ready(timeout: timeout)
            let (code, expiresAt) = try await client.linking.offer()
            output.print(value: code.text, named: "code")
            Terminal.draw(code.text)
            Terminal.report("on another device of yours: parley link approve --as \(device.user)/DID CODE")
            Terminal.report("waiting until \(TimeZone.local.civil(expiresAt).stamp)")
            let seconds = max(1, (expiresAt.milliseconds - Timestamp.now.milliseconds) / 1000)
            let handed: HandedAccount
            do throws(ClientError) {
                handed = try await client.linking.handedAccount(timeout: .seconds(seconds))
            } catch {
                guard case .timedOut(nil) = error else { throw error }
                throw ToolError(.noAnswer, "nobody has approved within ten minutes; parley link makes a new code")
            }
            try await check(handed.digits, confirm)
            try await client.linking.adopt(handed)
        }
        output.print(done: "linked \(device)")
    }

    /// - Throws: ``ToolError`` unless the other device shows the same digits.
    private func check(_ digits: [String], _ confirm: String?) async throws {
        let shown = digits.joined(separator: " ")
        if let confirm {
            guard confirm.filter(\.isNumber) == digits.joined() else {
                throw ToolError(.rejected, AccountError.otherDigits.description)
            }
            return
        }
        guard try await StandardInput.agrees(to: "approved. Does the other device show \(shown)? Type yes:") else {
            throw ToolError(.rejected, "not linked: \(AccountError.otherDigits)")
        }
    }
}

struct ApproveLinkCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "approve", abstract: "Certifies the new device that shows a code, and hands it the account key.")

    @OptionGroup var sender: SenderOptions
    @Flag(help: "Approve without asking.") var yes = false
    @Argument(help: ArgumentHelp("What the new device shows.", valueName: "CODE")) var code: String
    @OptionGroup var common: CommonOptions

    func run() async throws {
        let link: LinkCode
        do throws(LinkCodeError) { link = try LinkCode(code) } catch { throw ToolError(.usage, error.description) }
        try await common.signedIn(as: sender) { client in
            let candidate = try await client.linking.candidate(link)
            if !yes {
                let question =
                    "\(candidate.device) would read what is sent to \(candidate.device.user) from now on, write in that "
                    + "name, and link further devices. Type yes to approve:"
                guard try await StandardInput.agrees(to: question) else { throw ToolError(.rejected, "not approved") }
            }
            try await client.linking.approve(candidate)
            common.output.print(
                done: "approved \(candidate.device); it shows \(candidate.digits.joined(separator: " "))")
        }
    }
}
