import HTTPClient
import Logging
import ParleyProtocol
import PrivateFiles
import TestSupport
import Testing

@testable import ParleyIdentity

@Suite("Mails")
struct MailTests {
    private static let now = Timestamp(milliseconds: 1_800_000_000_123)

    private func code(_ digits: String = "12345678") throws -> AccountCode { try #require(AccountCode(digits)) }
    private func user(_ text: String = "alice") throws -> UserID { try #require(UserID(text)) }
    private func address(_ text: String) throws -> EmailAddress { try #require(EmailAddress(text)) }

    private func compose(_ text: MailText, to recipient: String = "alice@example.org") throws -> String {
        let bytes = MailMessage.compose(
            Mail(to: try address(recipient), text), from: try address("parley@Example.com"), id: 7, now: Self.now)
        return String(decoding: bytes, as: UTF8.self)
    }

    @Test("a mail with a code is these bytes")
    func verification() throws {
        #expect(
            try compose(.verification(code(), of: user())) == """
                Date: Fri, 15 Jan 2027 08:00:00 +0000\r
                From: <parley@Example.com>\r
                To: <alice@example.org>\r
                Subject: Your verification code\r
                Message-ID: <7@example.com>\r
                Auto-Submitted: auto-generated\r
                MIME-Version: 1.0\r
                Content-Type: text/plain; charset=us-ascii\r
                Content-Transfer-Encoding: 7bit\r
                \r
                Use this code to confirm that this email address is that of the account\r
                alice:\r
                \r
                    12345678\r
                \r
                It is valid for 15 minutes. Do not share it with anyone.\r
                If you did not ask for it, ignore this mail.\r

                """)
    }

    @Test("every mail is ASCII in short lines with one end each, and has no link")
    func form() throws {
        let longest = String(repeating: "l", count: 64) + "@" + String(repeating: "d", count: 60) + ".example"
        let named = try user(String(repeating: "u", count: 64))
        for text in [
            MailText.verification(try code(), of: named), .reset(try code(), of: named),
            .alreadyRegistered(of: named), .replaced, .added,
        ] {
            let message = try compose(text, to: longest)
            #expect(message.hasSuffix("\r\n"))
            for line in message.dropLast(2).split(separator: "\r\n", omittingEmptySubsequences: false) {
                #expect(line.utf8.allSatisfy { (0x20...0x7E).contains($0) })
                #expect(line.utf8.count <= 78 || line.hasPrefix("To: "), "\(line)")
            }
            #expect(!message.contains("http"))
        }
        #expect(try compose(.reset(code(), of: user())).contains("    12345678\r\n"))
        for text in [MailText.alreadyRegistered(of: try user()), .replaced, .added] {
            #expect(try !compose(text).contains("    "))
        }
    }

    @Test(
        "a date is that of RFC 5322",
        arguments: [
            (0, "Thu, 01 Jan 1970 00:00:00 +0000"), (951_782_400_000, "Tue, 29 Feb 2000 00:00:00 +0000"),
            (1_796_083_199_999, "Mon, 30 Nov 2026 23:59:59 +0000"), (-1, "Thu, 01 Jan 1970 00:00:00 +0000"),
        ] as [(Int64, String)])
    func dates(milliseconds: Int64, text: String) {
        #expect(MailDate.text(of: Timestamp(milliseconds: milliseconds)) == text)
    }

    @Test("a code prints as nothing")
    func codes() throws {
        #expect("\(try code()) \(MailText.reset(try code(), of: try user()))".contains("1234") == false)
        var dumped = ""
        dump(Mail(to: try address("a@example.com"), .reset(try code(), of: try user())), to: &dumped)
        #expect(!dumped.contains("1234"))
    }

    @Test("in a directory each mail is a file of its owner's, and the newest code of an address is found")
    func directory() throws {
        let place = try TemporaryDirectory()
        let path = place.path + "/mails"
        let sink = MailDirectory(path: path, sender: try address("parley@example.com"))
        let (alice, bob) = (try address("alice@example.org"), try address("bob@example.org"))
        let save = { (mail: Mail, seconds: Int64) in
            sink.save(mail, now: Self.now.advanced(byMilliseconds: seconds * 1000)).isSuccess
        }
        #expect(save(Mail(to: alice, .verification(try code("11111111"), of: try user())), 0))
        #expect(save(Mail(to: bob, .reset(try code("22222222"), of: try user("bob"))), 1))
        #expect(save(Mail(to: alice, .reset(try code("33333333"), of: try user())), 2))
        #expect(save(Mail(to: alice, .alreadyRegistered(of: try user())), 3))
        #expect(try MailDirectory.newestCode(in: path, for: EmailAddress("ALICE@example.org"))?.digits == "33333333")
        #expect(try MailDirectory.newestCode(in: path, for: bob)?.digits == "22222222")
        #expect(try MailDirectory.newestCode(in: path, for: nil)?.digits == "33333333")
        #expect(try MailDirectory.newestCode(in: path, for: address("carol@example.org")) == nil)
        let names = try place.names
        #expect(names == ["mails"])
        #expect(try place.permissions("mails") == 0o700)
        let files = try Files.names(in: path)
        #expect(files.count == 4)
        for file in files { #expect(try place.permissions("mails/\(file)") == 0o600) }
    }

    @Test("a directory that cannot be written says so")
    func unwritable() throws {
        let sink = MailDirectory(path: "/proc/none/mails", sender: try address("parley@example.com"))
        #expect(!sink.save(Mail(to: try address("a@example.com"), .replaced), now: Self.now).isSuccess)
        #expect(throws: (any Error).self) { try MailDirectory.newestCode(in: "/proc/none/mails", for: nil) }
    }

    @Test(
        "the URL of a server says how it is reached",
        arguments: [
            ("smtp://mail.example.com", "mail.example.com", 587, .startTLS),
            ("smtp://Mail.Example.com:25", "mail.example.com", 25, .startTLS),
            ("smtp://mail.example.com:443", "mail.example.com", 443, .startTLS),
            ("smtps://mail.example.com", "mail.example.com", 465, .tls),
            ("smtps://localhost:99", "localhost", 99, .tls),
            ("smtp://localhost:25", "localhost", 25, .none), ("smtp://127.0.0.1", "127.0.0.1", 587, .none),
            ("smtp://[::1]:25", "::1", 25, .none), ("smtp://[::1]", "::1", 587, .none),
            ("smtp://127.0.0.2:25", "127.0.0.2", 25, .startTLS),
        ] as [(String, String, Int, MailSubmission.Security)])
    func urls(url: String, host: String, port: Int, security: MailSubmission.Security) throws {
        let server = try MailSubmission.Server(url: url, credentials: nil)
        #expect(server == MailSubmission.Server(host: host, port: port, security: security, credentials: nil))
    }

    @Test(
        "what is no server, or no user and password, is refused by the name of the setting",
        arguments: [
            "", "mail.example.com", "http://mail.example.com", "smtp://", "smtp://host/path", "smtp://user@host",
            "smtp://host:0", "smtp://host:99999", "smtp://ho st", "smtp://host?x", "SMTP://host", "smtp://host#x",
        ])
    func badURLs(_ url: String) throws {
        #expect(try settingOfError(url: url, credentials: nil) == "mail_url")
    }

    @Test(
        "a file of credentials has two lines", arguments: ["", "user", "user\n", "\npass", "user\npass\nmore", "u\n\0"])
    func badCredentials(_ text: String) throws {
        #expect(try settingOfError(url: "smtp://host", credentials: text) == "mail_credentials_file")
    }

    private func settingOfError(url: String, credentials: String?) throws -> String {
        let configuration = MailConfiguration(
            way: .server(url: url, credentials: credentials.map { Array($0.utf8) }),
            sender: try address("parley@example.com"))
        return try #require(throws: IdentityConfigurationError.self) {
            try Mailer(configuration, logger: Logger(label: "mail"))
        }.setting
    }

    @Test("credentials are two lines with any line's end, and print as nothing")
    func credentials() throws {
        for text in ["user\npass", "user\r\npass\r\n", "user\npass\n"] {
            let server = try MailSubmission.Server(url: "smtp://host", credentials: Array(text.utf8))
            #expect(server.credentials == MailSubmission.Credentials(user: "user", password: "pass"))
            #expect(!"\(server)".contains("pass"))
        }
    }
}
