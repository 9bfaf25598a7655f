import ParleyProtocol
import ParleyRules
import TestNames
import Testing

extension AccessPolicyTests {
    static let door = Bearer(
        address: DeviceAddress(user: UserID(validated: "web"), device: DeviceID(validated: "door")), role: .door)

    @Test("a door asks for accounts, and nobody else does; and for blobs, as everybody does")
    func accounts() {
        #expect(Self.publish(Self.door, "parley/v1/up/web/door/accounts/sign-in") == .allowed)
        #expect(Self.publish(Self.door, "parley/v1/up/web/door/blobs/collect") == .allowed)
        #expect(Self.publish("parley/v1/up/alice/phone/blobs/get") == .allowed)
        for area in ["messages", "admin", "account", "accountsx"] {
            #expect(!Self.publish(Self.door, "parley/v1/up/web/door/\(area)/sign-in").isAllowed)
        }
        #expect(Self.publish(Self.door, "parley/v1/up/web/other/accounts/sign-in") == .denied(.foreignTopic))
        #expect(Self.publish("parley/v1/up/alice/phone/accounts/sign-in") == .denied(.doorsOnly))
        #expect(Self.publish("parley/v1/up/alice/phone/account/get") == .allowed)
        #expect(Self.publish(Self.console, "parley/v1/up/operator/console/accounts/sign-in") == .denied(.doorsOnly))
        #expect(Self.publish(Self.door, "parley/v1/up/web/door/accounts/sign-in", qos: 2) == .denied(.qualityOfService))
        #expect(Self.publish(Self.door, "parley/v1/up/web/door/accounts/sign-in", retain: true) == .denied(.retained))
    }

    @Test(
        "a door hears its replies and nothing else",
        arguments: [
            ("parley/v1/down/web/door/accounts/sign-in/accepted", true), ("parley/v1/down/web/door/x1/5", true),
            ("parley/v1/down/web/other/x1/5", false), ("parley/v1/up/web/door/accounts/sign-in", false),
            ("parley/v1/users/web/events", false), ("parley/v1/gateway/status", false),
            ("parley/v1/gateway/stats/accepted", false), ("parley/v1/other", false),
            ("parley/v1/conversations/\(cid)/messages", false),
        ])
    func doorHears(topic: String, isHeard: Bool) {
        #expect(Self.receive(Self.door, topic).isAllowed == isHeard)
        #expect(Self.subscribe(Self.door, topic).isAllowed == isHeard)
    }
}
