import Foundation
import MQTTWire
import ParleyProtocol
import TestSupport

/// A gateway on which people make accounts for themselves, and a door that signs them in.
final class AccountSite {
    let gateway: TestGateway
    let door: TestDoor

    /// Passwords that cost little, and no limits that a test would meet by accident.
    private static let settings: JSON = [
        "registration": "open", "mail_sink": "mails", "password_kibibytes": 8192, "password_passes": 1,
        "account_attempts_per_network": 100_000, "account_attempts_per_account": 100_000,
        "account_mails_per_network": 100_000, "account_mails_per_account": 100_000,
        "registrations_per_network": 100_000,
    ]

    init(_ changes: JSON = [:], door arguments: [String] = []) throws {
        gateway = try TestGateway(settings: TestGateway.roomy.with(Self.settings).with(changes))
        door = try AccountSite.door(gateway, arguments)
    }

    /// A further door.
    func anotherDoor(_ arguments: [String] = []) throws -> TestDoor { try AccountSite.door(gateway, arguments) }

    private static func door(_ gateway: TestGateway, _ arguments: [String]) throws -> TestDoor {
        let own = ["--accounts", try credentials(gateway), "--accounts-socket", gateway.brokerSocket]
        return try TestDoor(gateway, own + arguments)
    }

    /// The file of the door's own device.
    var credentials: String { get throws { try AccountSite.credentials(gateway) } }

    private static func credentials(_ gateway: TestGateway) throws -> String {
        try gateway.directory(of: .webDoor) + "/credentials.json"
    }

    func ask(
        _ verb: String, _ body: JSON, at other: TestDoor? = nil, _ fields: [String] = []
    ) throws -> WebAnswer {
        try (other ?? door).ask("POST", "/api/v1/accounts/\(verb)", body, as: nil, fields)
    }

    // MARK: Mails

    /// The code in the newest mail to an address that has one, waiting for it.
    ///
    /// - Parameter earlier: a code that has come before.
    func code(for email: String, besides earlier: String? = nil) throws -> String {
        let directory = gateway.directory + "/mails"
        return try eventually("a mail to \(email)") { () -> String? in
            let files = (try? FileManager.default.contentsOfDirectory(atPath: directory)) ?? []
            for file in files.filter({ $0.hasSuffix(".eml") }).sorted().reversed() {
                let mail = try String(contentsOfFile: "\(directory)/\(file)", encoding: .utf8)
                guard mail.contains("To: <\(email)>"), let code = mail.firstMatch(of: /\r\n +([0-9]{8})\r\n/)?.1
                else { continue }
                return String(code) == earlier ? nil : String(code)
            }
            return nil
        }
    }

    // MARK: People

    static let password = "correct horse battery"

    /// A body with an address and a password.
    static func signIn(_ email: String, _ password: String = password, _ more: JSON = [:]) -> JSON {
        JSON.object(["email": .string(email), "password": .string(password)]).with(more)
    }

    /// Asks for an account, and makes it by the code.
    func makeAccount(_ email: String, _ user: String) throws -> Account {
        let asked = try ask("register", Self.signIn(email, Self.password, ["user_id": .string(user)]))
        guard asked.status == 200 else { throw NeverCameError("a registration: \(asked.status) \(asked.json)") }
        return try account(
            try ask(
                "verify",
                Self.signIn(email, Self.password, ["code": .string(code(for: email)), "device_name": "Phone"])))
    }

    /// A device that has signed in.
    struct Account {
        let device: String
        let credentials: DeviceCredentials
    }

    func account(_ answer: WebAnswer) throws -> Account {
        let data = answer.json["data"]
        guard answer.status == 200, let device = data["device_id"].text, let user = data["username"].text,
            let client = data["client_id"].text, let token = data["password"].text
        else { throw NeverCameError("a sign-in: \(answer.status) \(answer.json)") }
        return Account(
            device: device,
            credentials: DeviceCredentials(
                username: user, clientID: client, password: token, expiresAt: Timestamp(milliseconds: 0)))
    }

    /// The status of a request by a device.
    func profileStatus(_ account: Account, at other: TestDoor? = nil) throws -> Int {
        try (other ?? door).ask("POST", "/api/v1/profile/get", [:], as: account.credentials).status
    }
}
