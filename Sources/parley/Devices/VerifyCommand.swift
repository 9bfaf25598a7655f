import ArgumentParser
import ParleyClient
import ParleyCrypto
import ParleyProtocol

struct VerifyCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "verify", abstract: "Compares the code of another user's screen, and remembers it.",
        discussion: """
            The code is what `parley safety-number --qr` shows on the other's side. If it is of the keys that this device \
            sees, they are accepted, and a change of the other's account key is reported as one of a user who was verified.

            Example:
              parley verify --as alice/phone --with bob parley-safety/1/bob/alice/...
            """)

    @OptionGroup var peers: PeerOptions
    @Argument(help: ArgumentHelp("What the other's screen shows.", valueName: "CODE")) var code: String
    @OptionGroup var common: CommonOptions

    func run() async throws {
        let comparison = try await common.signedIn(as: peers) { client in
            // Fetches the keys that the code is compared with.
            _ = try await client.keys.safetyNumber(with: peers.other)
            return try await client.keys.verify(peers.other, code: code)
        }
        switch comparison {
        case .match: common.output.print(done: "verified \(peers.other)")
        case .mismatch:
            throw ToolError(
                .rejected,
                "WARNING: \(peers.other)'s screen shows other keys than this device sees: somebody may stand between you; "
                    + "nothing was accepted")
        case .otherUsers:
            throw ToolError(.usage, "the code is of other users, or your own: scan \(peers.other)'s screen")
        case .unreadable: throw ToolError(.usage, "this is no code of a safety number, or not the whole of it")
        case .newerVersion: throw ToolError(.usage, "the code is of a later version: update parley")
        }
    }
}

struct RotateKeysCommand: ClientCommand {
    static let configuration = CommandConfiguration(
        commandName: "rotate-keys", abstract: "Gives a device a new identity key; the old one opens old messages.",
        discussion: """
            A linked device certifies the new key itself, and nobody has to accept anything. One that is not linked has to \
            be linked anew.
            """)

    @OptionGroup var sender: SenderOptions
    @OptionGroup var common: CommonOptions

    func ask(_ client: MessagingClient) async throws -> String {
        try await client.keys.rotate()
        return "\(try sender.device(common.gateway)) has a new key"
    }
}
