import ParleyIdentity
import ParleyProtocol
import ParleyRules
import TestNames
import Testing

@testable import ParleyBridge
@testable import ParleyStore

extension Settings {
    /// Hashes that cost nothing, and a registration that is open to everybody.
    mutating func openAccounts() {
        (passwordPasses, passwordKibibytes) = (1, 8)
        registration = Registration.open.rawValue
    }
}

extension TestWriter {
    /// The request with what the desk would find out for it.
    func withFinding(_ incoming: IncomingCommand) throws -> IncomingCommand {
        guard let request = incoming.request as? any AccountHandler else { return incoming }
        var incoming = incoming
        incoming.finding = AccountFinding(
            digest: try request.digest(by: incoming.sender, TestWriter.tokens()),
            value: try finding(of: request, by: incoming.sender))
        return incoming
    }

    func withFindingIfNone(_ incoming: IncomingCommand) -> IncomingCommand {
        guard incoming.finding == nil else { return incoming }
        return (try? withFinding(incoming)) ?? incoming
    }

    private func finding(of request: some AccountHandler, by sender: DeviceAddress) throws -> any Sendable {
        var settings = writer.settings
        settings.openAccounts()
        var identity: Identity?
        switch request.work {
        case .identity(let proof), .identityAndHashing(let proof):
            identity = Identity(provider: proof.provider, subject: proof.token)
        case .none, .hashing: break
        }
        return try request.find(
            in: DeskContext(
                sender: sender, passwords: try PasswordHashing(settings), registration: settings.registrationOfPeople,
                tokens: try TestWriter.tokens(), identity: identity, store: store))
    }

    func addDoor() throws {
        try store.write { transaction in
            try transaction.users.insert("web", role: .door, displayName: "Web door", at: at(0))
            try transaction.devices.put(
                .webDoor, tokenID: .random(), now: at(0), expiresAt: at(.days(30)))
        }
    }
}
