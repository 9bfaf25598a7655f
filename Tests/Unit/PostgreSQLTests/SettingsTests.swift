import Testing

@testable import PostgreSQL

@Suite("Settings of a connection")
struct SettingsTests {
    private func settings(_ uri: String, password: String? = nil) throws(PostgreSQLError) -> PostgreSQLSettings {
        try PostgreSQLSettings(uri: uri, password: password, program: "tests")
    }

    private func options(_ uri: String) throws -> [String: String] {
        let attempts = try settings(uri).attempts
        return try #require(attempts.first)
    }

    @Test("a server is verified, unless it is on this machine or the URI says otherwise")
    func verification() throws {
        for (uri, expected) in [
            ("postgres://db.example.org/x", "verify-full"), ("postgresql://10.0.0.1/x", "verify-full"),
            ("postgres://127.0.0.1.example.org/x", "verify-full"),
            ("postgres://localhost.example.org/x", "verify-full"),
            ("postgres://localhost,db.example.org/x", "verify-full"), ("postgres:///x", "verify-full"),
            ("postgres://localhost/x?hostaddr=10.0.0.1", "verify-full"),
            ("postgres://localhost/x", "allow"), ("postgres://127.0.0.1/x", "allow"),
            ("postgres://127.9.9.9/x", "allow"),
            ("postgres://[::1]/x", "allow"), ("postgres://%2Frun%2Fpostgresql/x", "allow"),
            ("postgres:///x?host=/run/postgresql", "allow"), ("postgres://localhost,127.0.0.1/x", "allow"),
            ("postgres://db.example.org/x?hostaddr=127.0.0.1", "allow"),
            ("postgres://db.example.org/x?sslmode=require", "require"),
            ("postgres://localhost/x?sslmode=verify-full", "verify-full"),
        ] { #expect(try options(uri)["sslmode"] == expected, "\(uri)") }
        #expect(try options("postgres://db.example.org/x?sslrootcert=/x.pem")["sslrootcert"] == "/x.pem")
        #expect(try options("postgres://localhost/x")["sslrootcert"] == nil)
    }

    @Test("defaults hold unless the URI says otherwise")
    func defaults() throws {
        let plain = try options("postgres://u:p@db/x")
        #expect(plain["user"] == "u" && plain["password"] == "p" && plain["dbname"] == "x" && plain["host"] == "db")
        #expect(plain["target_session_attrs"] == "read-write" && plain["keepalives_idle"] == "10")
        #expect(plain["fallback_application_name"] == "tests" && plain["client_encoding"] == "UTF8")
        #expect(plain["gssencmode"] == "disable" && plain["connect_timeout"] == nil)
        let own = try options(
            "postgres://db/x?target_session_attrs=any&keepalives_idle=7&application_name=a&client_encoding=LATIN1")
        #expect(own["target_session_attrs"] == "any" && own["keepalives_idle"] == "7")
        #expect(own["application_name"] == "a" && own["client_encoding"] == "UTF8")
        #expect(try settings("postgres://db/x").connectLimit == .seconds(5))
        #expect(try settings("postgres://db/x?connect_timeout=17").connectLimit == .seconds(17))
    }

    @Test("several servers are tried one after the other, with a port each or one for all")
    func severalServers() throws {
        func tried(_ uri: String) throws -> [String] {
            try settings(uri).attempts.map { "\($0["host"] ?? "-"):\($0["port"] ?? "-")" }
        }
        #expect(try tried("postgres://a:1,b:2,c/x") == ["a:1", "b:2", "c:-"])
        #expect(try tried("postgres://a,b/x?port=7") == ["a:7", "b:7"])
        #expect(try tried("postgres:///x") == ["-:-"])
        #expect(try tried("postgres:///x?hostaddr=10.0.0.1,10.0.0.2") == ["-:-", "-:-"])
        // First all for a standby, then for any.
        let attempts = try settings("postgres://a,b/x?target_session_attrs=prefer-standby").attempts
        #expect(attempts.map { $0["host"] } == ["a", "b", "a", "b"])
        #expect(attempts.map { $0["target_session_attrs"] } == ["standby", "standby", "any", "any"])
    }

    @Test("what is wrong with a URI is said")
    func faults() throws {
        for (uri, expected) in [
            ("", SettingsFault.notURI), ("host=db", .notURI), ("sqlite:///x", .notURI), ("postgres:/x", .notURI),
            ("postgres://db:0/x", .port), ("postgres://db:65536/x", .port), ("postgres://db:a/x", .port),
            ("postgres://a,b,c/x?port=1,2", .port), ("postgres://a,b/x?hostaddr=10.0.0.1", .hosts),
            ("postgres://db/x?sslmode=none", .sslMode), ("postgres://db/x?sslmode=", .sslMode),
            ("postgres://db/x?connect_timeout=0", .connectTimeout),
            ("postgres://db/x?connect_timeout=99999999999999999999", .connectTimeout),
            ("postgres://db/x?target_session_attrs=write", .targetSession),
            ("postgres://db/x?service=a", .unsupported(keyword: "service")),
            ("postgres://db/x?replication=true", .unsupported(keyword: "replication")),
            ("postgres://db/\0", .nul),
        ] {
            #expect(throws: PostgreSQLError.invalidSettings(expected), "\(uri)") { try settings(uri) }
            #expect(!expected.description.isEmpty)
        }
        #expect(throws: PostgreSQLError.invalidSettings(.nul)) { try settings("postgres://db/x", password: "a\0") }
    }

    @Test("a URI that cannot be read is not shown, nor is its password")
    func malformed() {
        for uri in [
            "postgres://u:hunter2@[::1/x", "postgres://u:hunter2@[]/x", "postgres://u:hunter2@[::1]x/x",
            "postgres://u:hunter2@db/x?hunter2", "postgres://u:hunter2@db/x?a=hunter2=3", "postgres://u:hunter2@db/%zz",
            "postgres://u:hunter2@db/x?hunter2=a", "postgres://u:hunter2%00@db/x", "postgres://u:hunter2%@db/x",
        ] {
            do throws(PostgreSQLError) {
                _ = try settings(uri)
                Issue.record("\(uri) was read")
            } catch {
                guard case .invalidSettings(.malformed(let reason)) = error else {
                    Issue.record("\(uri): \(error)")
                    continue
                }
                #expect(!reason.isEmpty && !reason.contains("hunter2") && !reason.contains("u:"), "\(reason)")
            }
        }
    }

    @Test("a password is not printed with its settings")
    func secret() throws {
        for settings in [
            try settings("postgres://u:hunter2@db:7,other/x"),
            try settings("postgres://u@db:7,other/x", password: "hunter2"),
        ] {
            var dumped = ""
            dump(settings, to: &dumped)
            for text in ["\(settings)", String(reflecting: settings), dumped] { #expect(!text.contains("hunter2")) }
            #expect("\(settings)" == "postgresql://u@db:7,other/x")
            #expect(settings.attempts.first?["password"] == "hunter2")
        }
    }
}
