import Foundation
import MQTTClient
import ParleyIdentity
import ParleyProtocol
import TestSupport

/// A web door's side of accounts: it asks for people who are not signed in, as `parley-web` does.
final class AccountDoor {
    let gateway: TestGateway
    private let credentials: DeviceCredentials
    private var client: DeviceClient

    init(_ gateway: TestGateway) throws {
        self.gateway = gateway
        let path = try gateway.directory(of: .webDoor) + "/credentials.json"
        credentials = try JSONDecoder().decode(
            DeviceCredentials.self, from: Data(contentsOf: URL(filePath: path)))
        client = try AccountDoor.connect(credentials, to: gateway)
    }

    private static func connect(_ credentials: DeviceCredentials, to gateway: TestGateway) throws -> DeviceClient {
        try gateway.connect(credentials, DeviceClient.Options(connection: gateway.uniqueName("door")))
    }

    /// Asks for somebody, and takes the reply as it comes.
    ///
    /// - Parameters:
    ///   - network: the address that they ask from.
    ///   - id: of the request; a repeat has the same.
    func bytes(
        _ verb: String, _ fields: JSON, from network: String = "192.0.2.1", id: String = newID()
    ) throws -> [UInt8] {
        let payload = fields.with(["id": .string(id), "address": .string(network)]).bytes
        while true {
            do {
                let correlation = try client.ask("accounts/\(verb)", payload)
                return try client.take("a reply to accounts/\(verb)") { $0.correlation == correlation }.payload
            } catch is MQTTError {
                // The broker has ended the connection: it repeats what has no answer.
                client = try AccountDoor.connect(credentials, to: gateway)
            }
        }
    }

    func ask(
        _ verb: String, _ fields: JSON, from network: String = "192.0.2.1", id: String = newID()
    ) throws -> JSON {
        try JSON(parsing: bytes(verb, fields, from: network, id: id))
    }

    // MARK: What people ask

    static let password = "correct horse battery"

    func register(
        _ email: String, as user: String, id: String = newID(), from network: String = "192.0.2.1"
    ) throws -> JSON {
        let fields: JSON = [
            "email": .string(email), "password": .string(Self.password), "user_id": .string(user),
        ]
        return try ask("register", fields, from: network, id: id)
    }

    func verify(_ email: String, _ code: String, id: String = newID()) throws -> JSON {
        try ask(
            "verify", ["email": .string(email), "code": .string(code), "password": .string(Self.password)], id: id)
    }

    func signIn(
        _ email: String, _ password: String = AccountDoor.password, from network: String = "192.0.2.1",
        id: String = newID()
    ) throws -> JSON {
        try ask("sign-in", ["email": .string(email), "password": .string(password)], from: network, id: id)
    }

    func reset(_ email: String, _ code: String, password: String) throws -> JSON {
        try ask(
            "reset", ["email": .string(email), "code": .string(code), "password": .string(password)])
    }

    /// The code in the last mail to an address, once there is one that is not `old`.
    func code(mailedTo email: String, after old: String? = nil) throws -> String {
        try eventually("a code for \(email)") {
            guard let code = newestCode(for: email), code != old else { return nil }
            return code
        }
    }

    private func newestCode(for email: String) -> String? {
        let code = try? MailDirectory.newestCode(in: gateway.directory + "/mails", for: EmailAddress(email))
        return code?.digits
    }

    /// Makes an account, and its first device.
    func makeAccount(_ email: String, as user: String) throws -> DeviceCredentials {
        let old = newestCode(for: email)
        let asked = try register(email, as: user)
        guard asked["ok"] == true else { throw NeverCameError("a registration: \(asked)") }
        return try verify(email, code(mailedTo: email, after: old)).credentials
    }
}

extension JSON {
    /// Those of a reply to a sign-in.
    var credentials: DeviceCredentials {
        get throws {
            guard self["ok"] == true else { throw NeverCameError("a sign-in: \(self)") }
            return try JSONDecoder().decode(DeviceCredentials.self, from: Data(self["data"].bytes))
        }
    }

    /// The code of a refusal.
    var refusal: String? { self["error"]["code"].text }
}

extension DeviceClient {
    /// Waits until the broker has ended the connection.
    func endsByItself() -> Bool {
        (try? until("the end of the connection") { nil as Void? }) == nil && !isConnected
    }
}

extension TestGateway {
    /// Settings by which everybody makes accounts: hashes are quick, mails become files, and no limit is met.
    static let accounts = roomy.with([
        "registration": "open", "password_passes": 1, "password_kibibytes": 8192, "mail_sink": "mails",
        "account_attempts_per_network": 1_000_000, "account_attempts_per_account": 1_000_000,
        "account_mails_per_network": 1_000_000, "account_mails_per_account": 1_000_000,
        "registrations_per_network": 1_000_000,
    ])

    /// Whether a device's token is no longer one.
    func refuses(_ credentials: DeviceCredentials) -> Bool {
        do {
            try connect(credentials, DeviceClient.Options(connection: uniqueName("again"))).disconnect()
            return false
        } catch {
            return true
        }
    }
}
