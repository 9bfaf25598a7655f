import Logging
import ParleyProtocol
import Testing

@testable import ParleyIdentity

@Suite("The settings of identity providers")
struct ConfigurationTests {
    private func problem(
        name: IdentityProviderName = .google, issuer: String? = nil, audiences: [String] = ["app"],
        keysURL: String? = nil, trust: [[UInt8]] = [], allowsLoopback: Bool = false, isTwice: Bool = false
    ) throws -> String? {
        do throws(IdentityConfigurationError) {
            let settings = try IdentityProviderSettings(
                name: name, issuer: issuer, audiences: audiences, keysURL: keysURL)
            let configuration = IdentityConfiguration(
                providers: isTwice ? [settings, settings] : [settings], allowsLoopback: allowsLoopback,
                trustRoots: trust)
            let providers = try IdentityProviders(configuration, logger: Logger(label: "identity"))
            #expect(providers.settings == [settings])
            return nil
        } catch {
            return error.setting
        }
    }

    @Test("Apple and Google need no issuer, and others do")
    func issuers() throws {
        #expect(try problem(name: .google) == nil)
        #expect(try problem(name: .apple) == nil)
        let own = IdentityProviderName("own")
        #expect(try problem(name: own) == "issuer")
        #expect(try problem(name: own, issuer: "https://id.example.com/realms/one") == nil)
        #expect(try problem(name: own, issuer: "https://id.example.com/", keysURL: "https://id.example.com/k?x") == nil)
    }

    @Test(
        "what is no issuer is refused",
        arguments: [
            "", "id.example.com", "http://id.example.com", "http://localhost", "https://",
            "https://user@id.example.com",
            "https://id.example.com?x", "https://id.example.com#x", "file:///etc", "https://id example",
        ])
    func badIssuers(_ text: String) throws {
        #expect(try problem(issuer: text) == "issuer")
        #expect(try problem(keysURL: text.replacing("?x", with: "#")) == "keys_url")
    }

    @Test("in development a provider may be on this machine in clear text, and nowhere else")
    func loopback() throws {
        for host in ["localhost:8080", "127.0.0.1", "[::1]:1"] {
            #expect(try problem(issuer: "http://\(host)", allowsLoopback: true) == nil)
        }
        for host in ["127.0.0.2", "192.168.0.1", "localhost.example.com", "id.example.com"] {
            #expect(try problem(issuer: "http://\(host)", allowsLoopback: true) == "issuer")
        }
    }

    @Test("audiences are 1 to 32 client ids, a provider is there once, and certificates are such")
    func others() throws {
        #expect(try problem(audiences: []) == "audiences")
        #expect(try problem(audiences: [""]) == "audiences")
        #expect(try problem(audiences: ["app one"]) == "audiences")
        #expect(try problem(audiences: [String(repeating: "a", count: 256)]) == "audiences")
        #expect(try problem(audiences: (0..<33).map { "a\($0)" }) == "audiences")
        #expect(try problem(audiences: (0..<32).map { "a\($0)" }) == nil)
        #expect(try problem(isTwice: true) == "providers")
        #expect(try problem(trust: [[1]]) == "trust")
    }
}
