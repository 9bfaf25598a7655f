import Foundation
import Glibc
import MQTTClient
import ParleyProtocol
import TestSupport
import Testing

/// What ends tokens, over restarts and by revoking. Each test has a gateway of its own.
@Suite("The end of tokens", .ownThreads)
struct TokenEndingTests {
    private func credentials(_ reply: JSON) throws -> DeviceCredentials {
        try JSONDecoder().decode(DeviceCredentials.self, from: Data(reply.bytes))
    }

    private func isRefused(_ credentials: DeviceCredentials, by gateway: TestGateway) -> Bool {
        do {
            _ = try gateway.connect(credentials)
            return false
        } catch {
            return error as? MQTTError == .refused(ReasonCode(rawValue: 0x87))
        }
    }

    @Test("once a reply has come by the new token, the old one is over for good, whichever of the two is killed")
    func killedAfterUse() throws {
        let gateway = try TestGateway()
        let alice = try gateway.client()
        let renewed = try credentials(try alice.accepted("devices/renew"))
        // Nobody has signed in by the new one yet: both are good, also after both were killed.
        gateway.endBroker(SIGKILL)
        gateway.endParleyd(SIGKILL)
        try gateway.startBroker()
        try gateway.startParleyd()
        try gateway.connect(alice.credentials, DeviceClient.Options(connection: "old")).accepted("profile/get")
        try gateway.connect(renewed, DeviceClient.Options(connection: "new")).accepted("profile/get")
        gateway.endBroker(SIGKILL)
        gateway.endParleyd(SIGKILL)
        try gateway.startBroker()
        try gateway.startParleyd()
        #expect(isRefused(alice.credentials, by: gateway))
        try gateway.connect(renewed).accepted("profile/get")
    }

    @Test(
        "a new token that signs in while the gateway is away ends the old one, and the gateway learns of it",
        .oneMachine(.oneBroker))
    func usedWhileAway() throws {
        let gateway = try TestGateway()
        let alice = try gateway.client()
        let renewed = try credentials(try alice.accepted("devices/renew"))
        gateway.endParleyd(SIGKILL)
        // The broker goes by the last snapshot.
        let anew = try gateway.connect(renewed)
        #expect(isRefused(alice.credentials, by: gateway))
        try gateway.startParleyd()
        try anew.accepted("profile/get")
        gateway.endBroker(SIGKILL)
        try gateway.startBroker()
        #expect(isRefused(alice.credentials, by: gateway))
    }

    @Test("revoking an operator's device ends the tokens that came from it, also renewed ones and those of operators")
    func issuedTokens() throws {
        let gateway = try TestGateway()
        let console = try gateway.operatorClient()
        let alice = try gateway.person()
        let office = try gateway.connect(try console.addDevice("operator", "office"))
        let branch = try gateway.connect(try office.addDevice("operator", "branch"))
        let ghosts = [
            try gateway.connect(try office.addDevice(alice.username, "ghost")),
            try gateway.connect(try branch.addDevice(alice.username, "spectre")),
        ]
        let renewed = try credentials(try ghosts[0].accepted("devices/renew"))
        try gateway.connect(renewed, DeviceClient.Options(connection: "x")).accepted("profile/get")
        let phone = try gateway.connect(alice)
        try phone.subscribe("parley/v1/users/\(alice.username)/events")
        try console.accepted("admin/revoke-device", ["user_id": "operator", "device_id": "office"])
        #expect(try phone.event("device.revoked", on: "users/\(alice.username)/events")["device_id"] == "ghost")
        #expect(try phone.event("device.revoked", on: "users/\(alice.username)/events")["device_id"] == "spectre")
        for ended in [renewed, ghosts[1].credentials, office.credentials, branch.credentials] {
            #expect(isRefused(ended, by: gateway))
        }
        try phone.accepted("profile/get")
    }

    @Test("an operator who revokes a device of their own ends what came from it, too")
    func issuedByOwnDevice() throws {
        let gateway = try TestGateway()
        let console = try gateway.operatorClient()
        let office = try gateway.connect(try console.addDevice("operator", "office"))
        let ghost = try office.addDevice(try gateway.person().username, "ghost")
        try console.accepted("devices/revoke", ["device_id": "office"])
        #expect(isRefused(office.credentials, by: gateway))
        #expect(isRefused(ghost, by: gateway))
    }

    @Test("an operator's device that is only not used any more leaves what it has issued")
    func issuedTokensKept() throws {
        let gateway = try TestGateway()
        let console = try gateway.operatorClient()
        let alice = try gateway.person()
        let office = try gateway.connect(try console.addDevice("operator", "office"))
        let watch = try office.addDevice(alice.username, "watch")
        let request: JSON = ["user_id": "operator", "device_id": "office"]
        try console.accepted("admin/revoke-device", request.with(["keep_issued": true]))
        #expect(isRefused(office.credentials, by: gateway))
        try gateway.connect(watch).accepted("profile/get")
        try console.accepted("admin/revoke-device", request)
        #expect(isRefused(watch, by: gateway))
    }

    @Test("a device added under a revoked name gets nothing that was kept for the other, and hears what comes then")
    func revokedName() throws {
        let gateway = try TestGateway()
        let (alice, bob, conversation) = try gateway.pair()
        let keeping = DeviceClient.Options(keepsSession: 600)
        let old = try gateway.connect(try gateway.device("tablet", of: bob.user), keeping)
        try old.listen(to: conversation, "messages")
        old.disconnect()
        for _ in 0..<9 { try alice.accepted("messages/send", message(conversation)) }
        try bob.accepted("devices/revoke", ["device_id": "tablet"])
        try alice.accepted("messages/send", message(conversation))
        let anew = try gateway.device("tablet", of: bob.user)
        try alice.accepted("messages/send", message(conversation))
        let seqs = try hear(conversation, anew, of: gateway, lastBy: alice)
        // What came after the name was given anew is the device's own. One broker has forgotten the old session then.
        #expect(seqs == [12] || SiteForm.current.hasCells && seqs == [11, 12])
        // Its own queued messages come.
        try alice.accepted("messages/send", message(conversation))
        #expect(try hear(conversation, anew, of: gateway, lastBy: alice) == [13, 14])
    }

    /// The seqs that the device hears in its kept session, up to a message that is sent after it has signed in.
    private func hear(
        _ conversation: String, _ credentials: DeviceCredentials, of gateway: TestGateway, lastBy sender: DeviceClient
    ) throws -> [Int] {
        let options = DeviceClient.Options(keepsSession: 600)
        var device = try? gateway.connect(credentials, options)
        let last = try sender.accepted("messages/send", message(conversation))["seq"]
        var heard: [JSON] = []
        try eventually("the last message") {
            do {
                try device?.receive(timeout: .seconds(1))
                heard +=
                    device?.takeAll().filter { $0.topic.hasSuffix("/messages") }.map { $0.json["data"]["seq"] } ?? []
            } catch {
                // The plugin ends the first connection, whose queue held refused messages.
                device = nil
            }
            if device == nil { device = try? gateway.connect(credentials, options) }
            return heard.last == last ? () : nil
        }
        device?.disconnect()
        return heard.compactMap(\.int)
    }
}
