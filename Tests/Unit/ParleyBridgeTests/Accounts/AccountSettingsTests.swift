import Logging
import ParleyProtocol
import TestNames
import TestSupport
import Testing

@testable import ParleyBridge

@Suite("Settings of accounts")
struct AccountSettingsTests {
    private let place: TemporaryDirectory

    init() throws { place = try TemporaryDirectory() }

    private func services(_ change: (inout Settings) -> Void) throws -> AccountServices {
        var settings = Settings()
        change(&settings)
        return try DataDirectory(path: place.path).accountServices(settings, logger: Logger(label: "test"))
    }

    @Test("without settings there is no provider, and no mail is sent")
    func none() throws {
        let services = try services { _ in }
        #expect(services.identities.providers.isEmpty && services.mailer is NoMails)
        #expect(Settings().registrationOfPeople == .closed)
    }

    @Test("Apple, Google and the providers of a file are told by name")
    func providers() throws {
        let json = #"{"providers":[{"name":"work","issuer":"https://id.example.com","client_ids":["a"]}]}"#
        try DataDirectory.write(Array(json.utf8), to: place.path + "/providers.json")
        let services = try services {
            $0.appleClientIDs = "com.example.app com.example.web"
            $0.googleClientIDs = "1.apps.googleusercontent.com"
            $0.identityProvidersFile = "providers.json"
        }
        #expect(services.identities.providers.map(\.name) == ["apple", "google", "work"])
        #expect(services.identities.providers.first?.clientIDs == ["com.example.app", "com.example.web"])
    }

    @Test(
        "a setting that cannot be used keeps the gateway from starting",
        arguments: [
            #"{"providers":[{"name":"email","issuer":"https://id.example.com","client_ids":["a"]}]}"#,
            #"{"providers":[{"name":"work","issuer":"http://id.example.com","client_ids":["a"]}]}"#,
            #"{"providers":[{"name":"work","issuer":"https://id.example.com"}]}"#, #"{"providers":[{}]}"#, "[", "",
        ])
    func refused(json: String) throws {
        try DataDirectory.write(Array(json.utf8), to: place.path + "/providers.json")
        #expect(throws: DataDirectoryError.self) { try services { $0.identityProvidersFile = "providers.json" } }
    }

    @Test("a mail of a development's gateway becomes a file that has its code")
    func sink() async throws {
        let services = try services { $0.mailSink = "mails" }
        let code = try #require(AccountCode("12345678"))
        let mail = AccountMail(recipient: try AccountWorld.email("dave@example.com"), text: .verification(code, of: "dave"))
        let sent = await withCheckedContinuation { continuation in
            services.mailer.send(mail, now: at(0)) { continuation.resume(returning: $0) }
        }
        #expect(throws: Never.self) { try sent.get() }
        #expect(throws: DataDirectoryError.self) { try self.services { $0.mailURL = "smtp://mail.example.com" } }
    }
}
