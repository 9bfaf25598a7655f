import ParleyProtocol
import TestSupport
import Testing

@testable import ParleyClient

@Suite("Where a device was signed in")
struct SignInRecordTests {
    private let place: TemporaryDirectory
    private let directory: DeviceDirectory
    private let email: EmailAddress

    init() throws {
        place = try TemporaryDirectory()
        let device = DeviceAddress(user: UserID("alice"), device: DeviceID("phone"))
        directory = DeviceDirectory(of: device, in: place.path)
        email = try #require(EmailAddress("Alice@example.org"))
    }

    @Test("it is kept in a private file, with the broker's address where that is another gateway's")
    func roundTrip() throws {
        #expect(try directory.readSignInRecord() == nil)
        let endpoints = [
            nil, LocalEndpoint(host: "::1", mqttPort: 1, transport: .plain),
            LocalEndpoint(host: "a.example", mqttPort: 8883, transport: .tls(caFile: nil)),
            LocalEndpoint(host: "a.example", mqttPort: 8883, transport: .tls(caFile: "/a b/c.pem")),
        ]
        for endpoint in endpoints {
            let kept = SignInRecord(door: "https://a.example", email: email, endpoint: endpoint)
            try directory.store(kept)
            #expect(try directory.readSignInRecord() == kept)
        }
        for door in [nil, "https://a.example"] {
            let kept = SignInRecord(door: door, email: nil, endpoint: endpoints[2])
            try directory.store(kept)
            #expect(try directory.readSignInRecord() == kept)
        }
        #expect(try place.permissions("devices/alice/phone/sign-in.json") == 0o600)
        #expect(try place.permissions("devices/alice/phone") == 0o700)
    }

    @Test(
        "a file that is damaged is not taken for a device of an operator's",
        arguments: [
            "", "[]", "{}", #"{"door":"https://a.example"}"#, #"{"door":"https://a.example","email":"a"}"#,
            #"{"door":"https://a.example","email":"a@b.example","broker":{}}"#,
            #"{"door":"https://a.example","email":"a@b.example","broker":{"host":"a","mqtt_port":0}}"#,
        ])
    func damaged(text: String) throws {
        try directory.store(SignInRecord(door: "https://a.example", email: email, endpoint: nil))
        try place.write(text, to: "devices/alice/phone/sign-in.json")
        #expect(throws: CredentialsError.self) { try directory.readSignInRecord() }
    }

    @Test("credentials go with their copies; the rest of the device stays, also when they had gone before")
    func removal() throws {
        let credentials = DeviceCredentials(
            of: directory.device, password: "token", expiresAt: Timestamp(milliseconds: 4_000_000_000_000))
        try directory.store(credentials)
        try directory.storeCopies { _ in [("copy", [1])] }
        try directory.store(SignInRecord(door: "https://a.example", email: email, endpoint: nil))
        for _ in 1...2 { try directory.removeCredentials(copies: ["copy"]) }
        #expect(throws: CredentialsError.self) { try directory.readCredentials() }
        #expect(try directory.readSignInRecord() != nil)
        #expect(throws: (any Error).self) { try place.bytes("devices/alice/phone/copy") }
    }
}
