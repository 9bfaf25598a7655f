import HTTPClient
import HTTPDoubles
import Logging
import ParleyProtocol
import Testing

@testable import ParleyPush

@Suite("What is configured")
struct ConfigurationTests {
    private static let key = TestKeys.certificateKey

    @Test(
        "an account with Apple needs a key of P-256, two identifiers and a URL without a path",
        arguments: [
            ("apns_key_file", ["", "x", TestKeys.rsa, String(key.dropLast(40))], "not a private key of P-256 in PEM"),
            ("apns_key_id", ["ABC"], "not 10 letters and digits"),
            ("apns_team_id", ["", "DEF123GH\"J", "DEF123GHIé"], "not 10 letters and digits"),
            (
                "apns_url", ["", "ftp://x", "https://a/b", "https://a?b", "https://u:p@a", "https://a#b"],
                "not an absolute URL without a path"
            ),
        ])
    func apnsAccount(setting: String, wrong: [String], problem: String) throws {
        #expect(try APNsCredentials(configuration(apns("https://localhost:8443/"))) != nil)
        for value in wrong {
            let error = #expect(throws: PushConfigurationError.self) {
                try APNsCredentials(configuration(apns().merging([setting: value]) { $1 }))
            }
            #expect(error?.setting == setting && error?.problem.hasPrefix(problem) == true)
        }
    }

    @Test("the key for Web Push is 32 bytes")
    func vapid() throws {
        let key = try VAPIDKey.makePrivateKey()
        #expect(key.count == 32)
        #expect(try VAPIDKey(privateKey: key).publicKeyText.count == 87)
        for wrong in [[], [UInt8](repeating: 0, count: 32), [UInt8](repeating: 0xFF, count: 32), key + [0]] {
            #expect(throws: PushConfigurationError.self) { try VAPIDKey(privateKey: wrong) }
        }
    }

    @Test("the subject for Web Push is a way to write to somebody, or nobody")
    func vapidSubject() throws {
        func sender(_ subject: String) throws {
            _ = try PushSender(configuration(["vapid_subject": subject]), logger: Logger(label: "push")) { _ in }
        }
        for right in ["", "https://example.com/contact"] { try sender(right) }
        for wrong in ["mailto:", "a@b.c", "http://example.com", "mailto:a b", "mailto:\"\n"] {
            let error = PushConfigurationError("vapid_subject", "neither a mailto: nor an https: URL")
            #expect(throws: error) { try sender(wrong) }
        }
    }

    @Test("further roots are certificates in PEM")
    func trust() throws {
        var configuration = try configuration()
        configuration.trustRoots = [Array("no certificate".utf8)]
        #expect(throws: PushConfigurationError("push_trust_file", "not certificates in PEM")) {
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
