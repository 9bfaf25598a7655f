import HTTPClient
import Logging
import ParleyProtocol
import Testing

@testable import ParleyPush

@Suite("What is configured")
struct ConfigurationTests {
    private static let key = Array(TestKeys.certificateKey.utf8)

    @Test("an account with Apple needs a key of P-256 and two identifiers")
    func apns() throws {
        _ = try APNsCredentials(
            keyPEM: Self.key, keyID: "ABC123DEFG", teamID: "DEF123GHIJ", url: "https://localhost:8443/")
        for wrong in [[], Array("x".utf8), Array(TestKeys.rsa.utf8), Array(Self.key.dropLast(40))] {
            #expect(throws: PushConfigurationError.apnsKey) {
                try APNsCredentials(keyPEM: wrong, keyID: "ABC123DEFG", teamID: "DEF123GHIJ")
            }
        }
        #expect(throws: PushConfigurationError.apnsIdentifier(setting: "apns_key_id")) {
            try APNsCredentials(keyPEM: Self.key, keyID: "ABC", teamID: "DEF123GHIJ")
        }
        #expect(throws: PushConfigurationError.apnsIdentifier(setting: "apns_team_id")) {
            try APNsCredentials(keyPEM: Self.key, keyID: "ABC123DEFG", teamID: "DEF123GH\"J")
        }
        for url in ["", "ftp://x", "https://a/b", "https://a?b", "https://u:p@a", "https://a#b"] {
            #expect(throws: PushConfigurationError.url(setting: "apns_url")) {
                try APNsCredentials(keyPEM: Self.key, keyID: "ABC123DEFG", teamID: "DEF123GHIJ", url: url)
            }
        }
    }

    @Test("the key for Web Push is 32 bytes, and its subject a way to write to somebody")
    func vapid() throws {
        let key = try VAPIDKey.makePrivateKey()
        #expect(key.count == 32)
        #expect(try VAPIDKey(privateKey: key, subject: "https://example.com/contact").publicKey.count == 65)
        for wrong in [[], [UInt8](repeating: 0, count: 32), [UInt8](repeating: 0xFF, count: 32), key + [0]] {
            #expect(throws: PushConfigurationError.vapidKey) {
                try VAPIDKey(privateKey: wrong, subject: "mailto:a@b.c")
            }
        }
        for wrong in ["", "mailto:", "a@b.c", "http://example.com", "mailto:a b", "mailto:\"\n"] {
            #expect(throws: PushConfigurationError.vapidSubject) { try VAPIDKey(privateKey: key, subject: wrong) }
        }
    }

    @Test("further roots are certificates in PEM")
    func trust() throws {
        var configuration = try configuration()
        configuration.trustRoots = [Array("no certificate".utf8)]
        #expect(throws: PushConfigurationError.trustRoots) {
            try PushSender(configuration, logger: Logger(label: "push")) { _ in }
        }
    }

    @Test("where neither the system nor a setting has certificates, the operator is told that nothing can be sent")
    func certificates() throws {
        let none = Certificates(firstOf: ["/nowhere/certificates.pem", "/dev/null"])
        #expect(none.isEmpty)
        var configuration = try configuration()
        #expect(configuration.warnings(system: none).isEmpty)
        configuration.trustRoots = []
        let warnings = configuration.warnings(system: none)
        #expect(warnings.count == 1 && warnings.first?.contains(Certificates.systemFiles[0]) == true)
        let some = try #require(Certificates(pem: [Array(TestKeys.certificate.utf8)]))
        #expect(configuration.warnings(system: some).isEmpty)
    }
}
