import ArgumentParser
import ParleyClient
import ParleyProtocol
import TestNames
import TestSupport
import Testing

@testable import parley

@Suite("What a sign-in leaves")
struct SigningInTests {
    private let place: TemporaryDirectory
    private let gateway: LocalGateway
    private let email: EmailAddress

    init() throws {
        place = try TemporaryDirectory()
        gateway = LocalGateway(path: place.path, timeout: .seconds(10))
        email = try #require(EmailAddress("alice@example.org"))
    }

    private func signedIn(_ device: DeviceAddress, as other: DeviceAddress? = nil) -> SignedIn {
        SignedIn(
            address: device,
            credentials: DeviceCredentials(
                of: other ?? device, password: "token", expiresAt: Timestamp(milliseconds: 4_000_000_000_000)))
    }

    private func signInRecord(_ door: String, endpoint: LocalEndpoint? = nil) -> SignInRecord {
        SignInRecord(door: door, email: email, endpoint: endpoint)
    }

    /// A broker that nobody runs.
    private let nowhere = LocalEndpoint(host: "127.0.0.1", mqttPort: 1, transport: .plain)

    private func failure(_ signedIn: SignedIn, _ place: SignInRecord) async -> ToolError? {
        do {
            try await gateway.complete(signedIn, at: place, by: OutputOptions.parse([]))
            return nil
        } catch {
            return error as? ToolError
        }
    }

    /// The device to sign in as.
    private func device(
        at door: String, _ arguments: String..., email other: EmailAddress? = nil
    ) throws -> DeviceID? {
        let address = try #require(DoorAddress(argument: door))
        return try SignInOptions.parse(arguments).signInDevice(other ?? email, at: address, gateway).device
    }

    private let phone = DeviceAddress(user: "alice", device: "phone")

    @Test("the credentials are kept, and found by door and address, also where the broker is not reached")
    func kept() async throws {
        let place = signInRecord("https://example.org", endpoint: nowhere)
        let error = await failure(signedIn(phone), place)
        #expect(error?.status == .noAnswer)
        #expect(error?.message.contains("nobody answers at mqtt://127.0.0.1:1") == true, "\(error?.message ?? "")")
        #expect(try gateway.signInRecord(of: phone) == place && gateway.defaultDevice() == phone)
        #expect(try gateway.endpoint(of: phone) == nowhere)
        #expect(try device(at: "https://example.org/") == "phone")
        #expect(try device(at: "https://example.com") == nil)
        #expect(try device(at: "https://example.org", "--device", "pad") == "pad")
        let other = try #require(EmailAddress("bob@example.org"))
        #expect(try device(at: "https://example.org", email: other) == nil)
    }

    @Test(
        "no door signs in as the operator, or as a door",
        arguments: [DeviceAddress.operatorConsole, .webDoor, DeviceAddress(user: "operator", device: "phone")])
    func reserved(device: DeviceAddress) async throws {
        let error = await failure(signedIn(device), signInRecord("https://example.org"))
        #expect(error?.message.contains("which nobody is by a door") == true)
        #expect(try place.names == [])
    }

    @Test(
        "what another gateway has given stays, whatever a door says; what this data directory's own gives may be replaced"
    )
    func foreign() async throws {
        let directory = DeviceDirectory(of: phone, in: place.path)
        let mine = signedIn(phone).credentials
        try directory.store(mine)
        let door = signInRecord("https://example.org", endpoint: nowhere)
        #expect(await failure(signedIn(phone), door)?.message.contains("of another gateway") == true)
        #expect(try directory.readCredentials() == mine && directory.readSignInRecord() == nil)
        _ = await failure(signedIn(phone), signInRecord("http://localhost:9893"))
        #expect(try directory.readSignInRecord()?.door == "http://localhost:9893")
        #expect(await failure(signedIn(phone), door)?.message.contains("of another gateway") == true)
    }

    @Test("of several devices the first acts, and without any it is said how to sign in")
    func several() async throws {
        let none = #expect(throws: ToolError.self) { try gateway.defaultDevice() }
        #expect(none?.message.contains("parley login") == true)
        let door = signInRecord("https://example.org", endpoint: nowhere)
        _ = await failure(signedIn(phone), door)
        _ = await failure(signedIn(DeviceAddress(user: "alice", device: "pad")), door)
        #expect(try gateway.defaultDevice() == phone)
        #expect(try device(at: "https://example.org") == nil)
    }

    @Test("the broker is beside the door, unless the data directory is the gateway's, or the person says otherwise")
    func brokers() throws {
        func endpoint(_ door: String, _ arguments: String...) throws -> LocalEndpoint? {
            let address = try #require(DoorAddress(argument: door))
            return try SignInOptions.parse(arguments).record(email, at: address, gateway).endpoint
        }
        #expect(try endpoint("https://a.example:8443")?.url == "mqtts://a.example:8883")
        #expect(try endpoint("http://localhost:9893")?.url == "mqtt://localhost:1893")
        #expect(try endpoint("https://a.example", "--mqtt", "b.example:99")?.url == "mqtts://b.example:99")
        #expect(try endpoint("http://localhost:9893", "--mqtt", "[::1]:99")?.url == "mqtt://[::1]:99")
        try place.write(#"{"host":"127.0.0.1","mqtt_port":2000,"web_port":9893,"scheme":"mqtt"}"#, to: "endpoint.json")
        #expect(try endpoint("http://localhost:9893") == nil)
        #expect(try endpoint("http://localhost:9894")?.url == "mqtt://localhost:1893")
        #expect(try endpoint("https://localhost:9893")?.url == "mqtts://localhost:8883")
        #expect(try endpoint("http://localhost:9893", "--mqtt", "localhost:99")?.mqttPort == 99)
        try place.write("-", to: "ca.pem")
        let trusting = try endpoint("https://a.example", "--ca", place.path + "/ca.pem")
        #expect(trusting?.transport == .tls(caFile: place.path + "/ca.pem"))
    }

    @Test("`parley code` says what is lacking")
    func code() throws {
        let command = { try CodeCommand.parse(["alice@example.org", "--data", place.path]) }
        func failure() throws -> String? { #expect(throws: ToolError.self) { try command().run() }?.message }
        #expect(try failure()?.hasPrefix("there is no gateway in") == true)
        try place.write("{}", to: "parleyd.json")
        #expect(try failure()?.contains("keeps no mails") == true)
        try place.write(#"{"mail_sink":"mails"}"#, to: "parleyd.json")
        #expect(try failure()?.hasSuffix("/mails has a code for alice@example.org, or not yet") == true)
        try place.write("{", to: "parleyd.json")
        #expect(try failure()?.contains("is not JSON") == true)
    }
}
