import Logging
import ParleyIdentity
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
        #expect(services.identities.providers.isEmpty && services.mailServer == nil)
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
            "{}",
            #"{"providers":[{"name":"work","issuer":"https://id.example.com","client_ids":["a"],"key_url":"x"}]}"#,
        ])
    func refused(json: String) throws {
        try DataDirectory.write(Array(json.utf8), to: place.path + "/providers.json")
        #expect(throws: DataDirectoryError.self) { try services { $0.identityProvidersFile = "providers.json" } }
    }

    @Test("what is wrong in the file of providers is said, with the provider's place and name")
    func namedProvider() throws {
        let json = #"{"providers":[{"name":"home","issuer":"https://a.example","client_ids":["a"]},{"name":"work"}]}"#
        try DataDirectory.write(Array(json.utf8), to: place.path + "/providers.json")
        let error = #expect(throws: DataDirectoryError.self) {
            try services { $0.identityProvidersFile = "providers.json" }
        }
        #expect(
            error?.description.hasSuffix(
                "parleyd.json: identity_providers_file: provider 2, work: client_ids: missing") == true)
    }

    private func warnings(_ change: (inout Settings) -> Void) throws -> [String] {
        var settings = Settings()
        change(&settings)
        return try DataDirectory(path: place.path).checkAccounts(settings)
    }

    @Test("settings that contradict each other keep the gateway from starting, all of them named")
    func contradictions() throws {
        let cases: [(String, (inout Settings) -> Void)] = [
            (#"registration: "open" needs a mail_url"#, { $0.registration = "open" }),
            (#"registration: "invited" needs a mail_url"#, { $0.registration = "invited" }),
            (
                "mail_url and mail_sink",
                { ($0.mailURL, $0.mailFrom, $0.mailSink) = ("smtp://a.example", "a@b.example", "m") }
            ),
            ("mail_from: missing", { $0.mailURL = "smtp://a.example" }),
            ("mail_credentials_file: without mail_url", { $0.mailCredentialsFile = "secret" }),
            (
                "needs a mail_url, for codes, or a provider of identities; mail_credentials_file",
                { ($0.registration, $0.mailCredentialsFile) = ("open", "secret") }
            ),
        ]
        for (sentence, change) in cases {
            let error = #expect(throws: DataDirectoryError.self) { try warnings(change) }
            #expect(error?.description.contains(sentence) == true, "\(error?.description ?? "")")
        }
    }

    @Test("settings by which people sign in are in order, and what is lacking is said")
    func inOrder() throws {
        #expect(try warnings { _ in }.isEmpty)
        let mail: (inout Settings) -> Void = { ($0.mailURL, $0.mailFrom) = ("smtp://a.example", "a@b.example") }
        #expect(
            try warnings {
                $0.registration = "open"
                mail(&$0)
            }.isEmpty)
        #expect(
            try warnings { ($0.registration, $0.appleClientIDs) = ("open", "com.example.app") }
                == ["registration: only by apple; without mail_url nobody registers an email address"])
        #expect(
            try warnings { ($0.registration, $0.mailSink) = ("open", "mails") }
                == ["mail_sink: mails become files, and reach nobody"])
    }

    @Test("a new development's directory lets people register; settings that are there stay")
    func development() throws {
        let directory = DataDirectory(path: place.path + "/new")
        try directory.prepare(isForDevelopment: true)
        let settings = try directory.readSettings()
        #expect(settings.registrationOfPeople == .open && settings.mailSink == "mails")
        let usual = DataDirectory(path: place.path + "/usual")
        try usual.prepare()
        try usual.prepare(isForDevelopment: true)
        #expect(try usual.readSettings() == Settings())
    }

    @Test("a mail of a development's gateway becomes a file that has its code")
    func sink() async throws {
        let services = try services { $0.mailSink = "mails" }
        let code = try #require(AccountCode("12345678"))
        let mail = Mail(
            to: try AccountWorld.email("dave@example.com"), .verification(code, of: "dave"))
        let sent = await withCheckedContinuation { continuation in
            services.mailer.send(mail, now: at(0)) { continuation.resume(returning: $0) }
        }
        #expect(throws: Never.self) { try sent.get() }
        #expect(throws: DataDirectoryError.self) { try self.services { $0.mailURL = "smtp://mail.example.com" } }
    }
}
