import Foundation
import MQTTClient
import ParleyProtocol
import Testing

extension GatewayTests {
    @Suite("Devices")
    struct DeviceTests {
        let gateway: TestGateway
        let alice: DeviceClient

        init() throws {
            gateway = try SharedGateway.current
            alice = try gateway.connect(try gateway.person())
        }

        private func expectRefused(_ credentials: DeviceCredentials) {
            #expect {
                _ = try gateway.connect(credentials)
            } throws: { error in
                error as? MQTTError == .refused(ReasonCode(rawValue: 0x87))
            }
        }

        private func ends(_ client: DeviceClient) -> Bool {
            (try? client.until("the end of the session") { nil as Void? }) == nil && !client.isConnected
        }

        @Test("a user sees all of his devices, and which is his own")
        func list() throws {
            _ = try gateway.device("watch", of: alice.user)
            let devices = try alice.accepted("devices/list")["devices"].elements
            #expect(devices.map { $0["device_id"] } == ["phone", "watch"])
            #expect(devices.map { $0["is_current"] } == [true, false])
        }

        @Test("a renewed token signs in, the old one no more, and the session goes on")
        func renew() throws {
            let renewed = try alice.accepted("devices/renew")
            #expect(renewed["username"].text == alice.user)
            #expect(renewed["client_id"].text == alice.credentials.clientID)
            try alice.accepted("profile/get")
            expectRefused(alice.credentials)
            let credentials = try JSONDecoder().decode(DeviceCredentials.self, from: Data(renewed.bytes))
            try gateway.connect(credentials).accepted("profile/get")
        }

        @Test("a repeat of a request for a token gets the token that the first has made; a new request gets a new one")
        func repeatedRequests() throws {
            let console = try gateway.operatorClient()
            let device: JSON = ["user_id": .string(alice.user), "device_id": "watch"]
            let asked = try (0..<3).map { _ in try console.ask("admin/add-device", device.bytes, as: "again") }
            let added = try asked.map { try console.reply(to: $0)["data"] }
            #expect(Set(added).count == 1)
            let watch = try gateway.connect(
                try JSONDecoder().decode(DeviceCredentials.self, from: Data(added[0].bytes)))
            try watch.accepted("profile/get")
            let renewals = try ["one", "one", "two"].map { name in
                try watch.reply(to: try watch.ask("devices/renew", [0x7B, 0x7D], as: name))["data"]
            }
            #expect(renewals[0] == renewals[1])
            #expect(Set(renewals + added).count == 3)
            #expect(try console.accepted("admin/add-device", device) != added[0])
        }

        @Test("a device renews another of its user, and none of others")
        func renewOther() throws {
            let watch = try gateway.device("watch", of: alice.user)
            try alice.accepted("devices/renew", ["device_id": "watch"])
            expectRefused(watch)
            let bob = try gateway.connect(try gateway.person())
            #expect(try bob.refusal("devices/renew", ["device_id": "watch"]) == "not_found")
            #expect(try bob.refusal("devices/revoke", ["device_id": "watch"]) == "not_found")
        }

        @Test("revoking ends the device's session at once and for good, and is announced to its user")
        func revoke() throws {
            let watch = try gateway.connect(try gateway.device("watch", of: alice.user))
            try watch.accepted("profile/get")
            try alice.subscribe("parley/v1/users/\(alice.user)/events")
            let left = try alice.accepted("devices/revoke", ["device_id": "watch"])
            #expect(left["devices"].elements.map { $0["device_id"] } == ["phone"])
            let event = try alice.event("device.revoked", on: "users/\(alice.user)/events")
            #expect(event["device_id"] == "watch")
            #expect(ends(watch))
            expectRefused(watch.credentials)
            #expect(try alice.accepted("devices/revoke", ["device_id": "watch"]) == left)
            #expect(alice.events(on: "users/\(alice.user)/events").isEmpty)
            #expect(try alice.refusal("devices/revoke", ["device_id": "never"]) == "not_found")
        }

        @Test("making a device's token anew ends the session of the old one")
        func anew() throws {
            try alice.accepted("profile/get")
            let anew = try gateway.device("phone", of: alice.user)
            #expect(ends(alice))
            expectRefused(alice.credentials)
            try gateway.connect(anew).accepted("profile/get")
        }

        @Test("an operator adds users and devices, lists and revokes them")
        func administration() throws {
            let console = try gateway.operatorClient()
            let user = gateway.uniqueName("someone")
            let fields: JSON = ["user_id": .string(user), "display_name": "Some One"]
            let added = try console.accepted("admin/add-user", fields)
            #expect(added["display_name"] == "Some One")
            #expect(try console.accepted("admin/add-user", fields) == added)
            #expect(try console.refusal("admin/add-user", fields.with(["display_name": "Other"])) == "conflict")
            #expect(try console.refusal("admin/add-user", ["user_id": "operator"]) == "conflict")
            #expect(
                try console.refusal("admin/add-device", ["user_id": "nobody", "device_id": "phone"]) == "not_found")
            let device: JSON = ["user_id": .string(user), "device_id": "phone"]
            let credentials = try console.accepted("admin/add-device", device.with(["ttl_days": 1]))
            #expect(credentials["username"].text == user)
            #expect(credentials["client_id"].text == "\(user):phone")
            var found: [JSON] = []
            var cursor = JSON.null
            repeat {
                let page = try console.accepted("admin/list-users", ["limit": 5, "cursor": cursor])
                found += page["users"].elements.filter { $0["user_id"].text == user }
                cursor = page["next_cursor"]
            } while cursor != .null
            #expect(found.map { $0["devices"] } == [["phone"]])
            #expect(try console.accepted("admin/revoke-device", device)["devices"] == [])
            #expect(try console.accepted("admin/revoke-device", device)["devices"] == [])
            #expect(try console.refusal("admin/revoke-device", device.with(["device_id": "x"])) == "not_found")
        }
    }
}
