import Foundation
import Glibc
import Launch
import ParleyProtocol
import TestSupport
import Testing

/// People at a real door before a real gateway, each with a data directory of their own.
@Suite("parley register, login, whoami and logout", .ownThreads)
struct ToolSignInTests {
    private let gateway: TestGateway
    private let door: TestDoor
    private let manager: ParleyTool
    private let place = TemporaryDirectory.unmade()
    private let person: ParleyTool

    private var url: String { "http://127.0.0.1:\(door.port)" }
    private var mqtt: [String] { ["--mqtt", "mqtt://127.0.0.1:\(gateway.mqttPort)"] }

    init() throws {
        var settings = TestGateway.roomy
        settings["registration"] = "open"
        settings["mail_sink"] = "mails"
        (settings["password_passes"], settings["password_kibibytes"]) = (1, 8192)
        gateway = try TestGateway(settings: settings)
        door = try TestDoor(
            gateway,
            [
                "--accounts", try gateway.directory(of: .webDoor) + "/credentials.json", "--accounts-socket",
                gateway.brokerSocket,
            ])
        manager = try ParleyTool(on: gateway)
        person = try ParleyTool(data: place.path)
    }

    /// The newest code that was sent to an address, once it is another than `former`.
    private func code(_ email: String, after former: String? = nil) throws -> String {
        try eventually("a mail to \(email)") {
            let outcome = try manager.run("code", email)
            return outcome.status == 0 && outcome.lines.first != former ? outcome.lines.first : nil
        }
    }

    private func run(_ command: String, _ arguments: String..., input: String = "") throws -> ParleyTool.Outcome {
        try person.run([command, url] + arguments + mqtt, input: input)
    }

    private var keys: Data {
        get throws { try Data(contentsOf: URL(filePath: place.path + "/devices/alice/phone/keys")) }
    }

    @Test("a script registers, types the code, sends, signs out and in again as the same device with its keys")
    func script() throws {
        try #require(try manager.run("user", "add", "bob", "--message-privacy", "anyone").status == 0)
        try #require(try manager.run("device", "add", "bob", "phone").status == 0)
        try #require(try manager.run("devices", "--as", "bob/phone").status == 0)
        let email = "Alice@example.org"
        let registered = try run("register", "--email", email, "--user", "alice", input: "correct horse\n")
        #expect(registered.status == 0 && registered.output.isEmpty, "\(registered.errors)")
        #expect(registered.errors.contains("parley login \(url) --email \(email) --code"))
        let early = try run("login", "--email", email, input: "correct horse\n")
        #expect(early.status == 1 && early.errors.contains("unauthenticated: "), "\(early.errors)")
        let wrong = try run("login", "--email", email, "--code", input: "correct horse\n00000000\n")
        #expect(wrong.status == 1 && wrong.errors.contains("The code is wrong"), "\(wrong.errors)")
        let signedIn = try run(
            "login", "--email", email, "--code", "--device", "phone", "--device-name", "Alice's",
            input: "correct horse\n" + code(email) + "\n")
        #expect(signedIn.status == 0 && signedIn.output == "signed in as alice/phone\n", "\(signedIn.errors)")
        #expect(signedIn.errors.contains("made keys for alice/phone"))

        let sent = try person.run("send", "--as", "alice/phone", "--to", "bob", "hello")
        #expect(sent.status == 0, "\(sent.errors)")
        let shown = try person.run("whoami", "--json")
        #expect(shown.json["user_id"] == "alice" && shown.json["device_id"] == "phone", "\(shown.errors)")
        #expect(shown.json["door"].text == url && shown.json["email"].text == email)
        #expect(shown.json["has_password"] == true)
        let lines = try person.read("whoami", "--offline").lines
        #expect(lines.first == "device: alice/phone" && lines.count == 4)
        #expect(try person.read("devices", "--as", "alice/phone").output.contains("Alice's"))

        let before = try keys
        let out = try person.run("logout")
        #expect(out.status == 0 && out.output == "signed out alice/phone\n", "\(out.errors)")
        #expect(out.errors.contains("its keys and messages stay in \(place.path)/devices/alice/phone"))
        #expect(person.hasNoCredentials(of: "alice/phone"))
        #expect(try manager.read("user", "list").output.contains("alice"))
        let after = try person.run("send", "--as", "alice/phone", "--to", "bob", "hello")
        #expect(after.status == 3 && after.errors.contains("parley login \(url) --email \(email) --device phone"))
        #expect(try person.run("whoami").status == 3)

        let file = place.path + "/password"
        try Data("correct horse\nmore".utf8).write(to: URL(filePath: file))
        try FileManager.default.setAttributes([.posixPermissions: 0o600], ofItemAtPath: file)
        let again = try run("login", "--email", email.lowercased(), "--password-file", file)
        #expect(again.status == 0 && again.output == "signed in as alice/phone\n", "\(again.errors)")
        #expect(try keys == before)
        #expect(try person.run("send", "--as", "alice/phone", "--to", "bob", "again").status == 0)
        try FileManager.default.setAttributes([.posixPermissions: 0o644], ofItemAtPath: file)
        let open = try run("login", "--email", email, "--password-file", file)
        #expect(open.status == 3 && open.errors.contains("chmod 600"))
        #expect(try manager.run("logout", "--as", "operator/console").status == 2)
        guard !OneMachineReason.balancer.holds(in: .current) else { return }
        gateway.endBroker()
        let unreached = try person.run("logout")
        #expect(unreached.status == 3 && unreached.errors.contains("nobody answers at mqtt://"), "\(unreached.errors)")
        #expect(!person.hasNoCredentials(of: "alice/phone"))
    }

    @Test("a token that has ended at the gateway is said to have, and the device is signed out all the same")
    func endedElsewhere() throws {
        let email = "carol@example.org"
        let registered = try run(
            "register", "--email", email, "--user", "carol", "--device", "phone", input: "correct horse\n")
        #expect(registered.status == 0, "\(registered.errors)")
        let input = "correct horse\n" + (try code(email)) + "\n"
        #expect(try run("login", "--email", email, "--code", "--device", "phone", input: input).status == 0)
        try #require(try manager.run("device", "revoke", "carol", "phone").status == 0)
        let shown = try person.read("whoami")
        #expect(shown.status == 3 && shown.lines.first == "device: carol/phone")
        #expect(shown.errors.contains("sign in again with: parley login \(url)"), "\(shown.errors)")
        #expect(try person.run("logout").status == 0)
        #expect(person.hasNoCredentials(of: "carol/phone"))
    }

    /// The tool in a terminal, and the answers to its questions: a code is looked up when it is asked for.
    private func typed(
        _ command: String, _ arguments: String..., answers: [(question: String, line: () throws -> String)]
    ) throws -> (status: Int32, screen: String) {
        let terminal = try PseudoTerminal(columns: 160)
        let words = [command, url] + arguments + mqtt + ["--data", place.path, "--timeout", "300"]
        let child = try terminal.start(Programs.path("parley"), words, directory: gateway.directory)
        for answer in answers {
            try terminal.awaitRow("the question", containing: answer.question)
            terminal.type(try answer.line() + "\r")
        }
        let status = try child.awaitEnd(terminal.shown.text)
        #expect(terminal.settings == (try PseudoTerminal().settings))
        return (status, terminal.shown.text)
    }

    @Test(
        "at a terminal each is asked for; passwords are typed twice and never shown, and a wrong code may be typed anew"
    )
    func terminal() throws {
        let email = "dora@example.org"
        let (password, again) = ("a new password for \(email):", "the same once more:")
        let differing = try typed(
            "register", "--email", email, "--user", "dora",
            answers: [(password, { "one-secret" }), (again, { "two-secret" })])
        #expect(differing.status == 2 && differing.screen.contains("the two are not the same"))
        let short = try typed(
            "register", "--email", email, "--user", "dora", answers: [(password, { "secret" }), (again, { "secret" })])
        #expect(short.status == 2 && short.screen.contains("at least 8 characters"))
        let registered = try typed(
            "register",
            answers: [
                ("the email address:", { email }), ("the user id:", { "dora" }), (password, { "one-secret" }),
                (again, { "one-secret" }), ("the code that was sent to \(email):", { "0000 0000" }),
                ("once more", { try code(email) }),
            ])
        #expect(registered.status == 0 && registered.screen.contains("signed in as dora/"), "\(registered.screen)")
        let device = try #require(try person.read("whoami").lines.first?.split(separator: " ").last)
        let login = try typed(
            "login", "--email", email, answers: [("the password of \(email):", { "one-secret" })])
        #expect(login.status == 0 && login.screen.contains("signed in as \(device)"), "\(login.screen)")
        let first = try code(email)
        let reset = try typed(
            "login", "--email", email, "--reset",
            answers: [
                ("the code that was sent to \(email):", { try code(email, after: first) }),
                (password, { "two-secret" }),
                (again, { "two-secret" }),
            ])
        #expect(reset.status == 0 && reset.screen.contains("signed in as \(device)"), "\(reset.screen)")
        for outcome in [differing, short, registered, login, reset] {
            #expect(!outcome.screen.contains("secret"))
        }
        let former = try run("login", "--email", email, input: "one-secret\n")
        #expect(former.status == 1 && former.errors.contains("unauthenticated: "))
    }
}
