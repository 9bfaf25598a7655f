import Launch
import Foundation
import ParleyProtocol
import TestSupport
import Testing

/// Nothing that any client sends ends the bridge or the broker.
@Suite("Hostile bytes", .ownThreads, .seeded)
struct HostileBytesTests {
    private struct Group: Decodable {
        struct Case: Decodable {
            struct Packet: Decodable {
                let type: String
                let payload: String?
            }
            let name: String
            let ver: UInt8?
            let connect: Bool?
            let msgs: [Packet]
        }
        let tests: [Case]
    }

    private let gateway: TestGateway
    private let alice: DeviceCredentials
    private let bob: DeviceClient
    private let processes: [pid_t?]

    init() throws {
        gateway = try TestGateway()
        alice = try gateway.person()
        bob = try gateway.client()
        processes = [gateway.parleyd?.identifier, gateway.broker?.identifier]
    }

    /// The same processes still serve a device that was connected all the time.
    private func expectUnharmed() throws {
        #expect(try bob.accepted("profile/get")["user_id"].text == bob.user)
        #expect(gateway.isParleydRunning)
        #expect([gateway.parleyd?.identifier, gateway.broker?.identifier] == processes)
    }

    private func signedIn(_ version: WireClient.Version, _ number: Int) throws -> WireClient {
        let client = try WireClient(port: gateway.mqttPort)
        let code = try client.connect(
            "\(alice.clientID):h\(number)", username: alice.username, password: Array(alice.password.utf8),
            version: version)
        try #require(code == 0)
        return client
    }

    @Test("packets that break MQTT, before and after signing in", .vectors)
    func packets() throws {
        let folder = try Vectors.folder("mosquitto_packets")
        var count = 0
        for file in ["CONNECT", "PUBLISH", "PUBACK", "PINGREQ"] {
            let data = try Data(contentsOf: folder.appending(path: "\(file).json"))
            for test in try JSONDecoder().decode([Group].self, from: data).flatMap(\.tests) {
                let packets = test.msgs.filter { $0.type == "send" }.compactMap { hexadecimal($0.payload ?? "") }
                for isSignedIn in [false, true] {
                    count += 1
                    let client =
                        isSignedIn
                        ? try signedIn(test.ver == 5 ? .v5 : .v311, count) : try WireClient(port: gateway.mqttPort)
                    // The broker may close at any byte, which is its right.
                    for packet in packets { try? client.sendRaw(packet) }
                    client.close()
                }
            }
        }
        #expect(count > 500)
        try expectUnharmed()
    }

    @Test("requests of random bytes and of mutated JSON")
    func payloads() throws {
        var generator = Seeded(stream: 470)
        let valid = message(ConversationID.random().description).bytes
        let client = try signedIn(.v5, 0)
        // It needs no field, and would end this very connection.
        let others = OperationTable.all.filter { $0.askers == .everyone && $0 != SignOutEverywhere.self }
        let operations = others.map { "\($0.operation)" } + ["no/such", "a/b"]
        for round in 0..<2000 {
            var payload = valid
            if round % 4 == 0 {
                payload = (0..<Int.random(in: 0...300, using: &generator)).map { _ in
                    .random(in: 0...255, using: &generator)
                }
            } else {
                for _ in 0..<Int.random(in: 1...8, using: &generator) where !payload.isEmpty {
                    let place = payload.indices.randomElement(using: &generator) ?? 0
                    switch Int.random(in: 0..<3, using: &generator) {
                    case 0: payload[place] = .random(in: 0...255, using: &generator)
                    case 1: payload.remove(at: place)
                    default: payload.insert(.random(in: 0...255, using: &generator), at: place)
                    }
                }
            }
            let operation = operations.randomElement(using: &generator) ?? "no/such"
            let code = try client.publish("parley/v1/up/\(alice.username)/phone/\(operation)", payload)
            #expect(code == 0 || code == 0x10, "round \(round)")
        }
        client.close()
        try expectUnharmed()
    }

    private func hexadecimal(_ text: String) -> [UInt8]? {
        let digits = text.compactMap(\.hexDigitValue)
        guard digits.count % 2 == 0 else { return nil }
        return stride(from: 0, to: digits.count, by: 2).map { UInt8(digits[$0] << 4 | digits[$0 + 1]) }
    }
}
