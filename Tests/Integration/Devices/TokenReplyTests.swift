import Launch
import Foundation
import ParleyProtocol
import TestSupport
import Testing

/// Where the reply to a request for a token may be. Each test has a gateway of its own.
@Suite("Replies that hold a token", .ownThreads)
struct TokenReplyTests {
    @Test("the broker keeps them for nobody who is away, in memory or in its file", .oneMachine(.oneBroker))
    func notKept() throws {
        let gateway = try TestGateway()
        let credentials = try gateway.person()
        let session = DeviceClient.Options(keepsSession: 600)
        try gateway.connect(credentials, session).disconnect()
        // A further connection asks; the session of the first is subscribed to the same replies.
        let asking = try gateway.connect(credentials, DeviceClient.Options(connection: "x"))
        let renewed = try asking.accepted("devices/renew")
        try asking.accepted("profile/get", ["request_id": "sentinel"])
        let token = try #require(renewed["password"].text)

        gateway.broker?.send(SIGUSR1)
        let file = URL(filePath: gateway.directory + "/mosquitto.db")
        let kept = try eventually("the broker's file with what it keeps for the session") { () -> Data? in
            let data = (try? Data(contentsOf: file)) ?? Data()
            return data.range(of: Data("sentinel".utf8)) == nil ? nil : data
        }
        #expect(kept.range(of: Data(token.utf8)) == nil)

        let renewedCredentials = try JSONDecoder().decode(DeviceCredentials.self, from: Data(renewed.bytes))
        let back = try gateway.connect(renewedCredentials, session)
        _ = try back.until("the reply that was kept") { back.inbox.first { $0.json["request_id"] == "sentinel" } }
        #expect(back.inbox.count == 1)
    }
}
