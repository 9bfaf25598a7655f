import Foundation
import MQTTClient
import ParleyProtocol
import TestSupport
import Testing

extension GatewayTests {
    @Suite("Devices")
    final class DeviceTests: PersonSuite {
        private func expectRefused(_ credentials: DeviceCredentials) {
            #expect {
                _ = try gateway.connect(credentials)
            } throws: { error in
                error as? MQTTError == .refused(ReasonCode(rawValue: 0x87))
            }
        }

        /// The same once somebody has signed in with a newer token: other cells hear of that in a moment.
        private func expectOver(_ credentials: DeviceCredentials) throws {
            guard SiteForm.current == .cells else { return expectRefused(credentials) }
            try eventually("the refusal of an old token") { () -> Void? in
                do {
                    try gateway.connect(credentials, DeviceClient.Options(connection: "old")).disconnect()
                    return nil
                } catch MQTTError.refused {
                    return ()
                } catch MQTTError.disconnected(.administrativeAction) {
                    // The cell heard of it while the device signed in.
                    return nil
                }
            }
        }

        private func ends(_ client: DeviceClient) -> Bool {
            (try? client.until("the end of the session") { nil as Void? }) == nil && !client.isConnected
        }

        @Test("a user sees all of their devices, and which is their own")
        func list() throws {
            _ = try gateway.device("watch", of: alice.user)
            let devices = try alice.accepted("devices/list")["devices"].elements
            #expect(devices.map { $0["device_id"] } == ["phone", "watch"])
            #expect(devices.map { $0["is_current"] } == [true, false])
        }

        private func credentials(_ reply: JSON) throws -> DeviceCredentials {
            try JSONDecoder().decode(DeviceCredentials.self, from: Data(reply.bytes))
        }

        @Test("the old token signs in until the new one has; until then its session goes on, and the user is told")
        func renew() throws {
            let watch = try gateway.client("watch", of: alice.user)
            try watch.subscribe("parley/v1/users/\(alice.user)/events")
            let renewed = try alice.accepted("devices/renew")
            #expect(renewed["username"].text == alice.user)
            #expect(renewed["client_id"].text == alice.credentials.clientID)
            let event = try watch.event("device.renewed", on: "users/\(alice.user)/events")
            #expect(event["user_id"].text == alice.user && event["device_id"] == "phone")
            #expect(event["expires_at"] == renewed["expires_at"] && event["at"] != .null)
            try alice.accepted("profile/get")
            let further = DeviceClient.Options(connection: "further")
            try gateway.connect(alice.credentials, further).accepted("profile/get")
            let anew = try gateway.connect(try credentials(renewed), DeviceClient.Options(connection: "anew"))
            try expectOver(alice.credentials)
            try anew.accepted("profile/get")
            #expect(ends(alice))
        }

        @Test("whoever renews again and again and has lost the replies signs in by what they hold, whichever it is")
        func lostReplies() throws {
            let replies = try (0..<4).map { _ in try credentials(try alice.accepted("devices/renew")) }
            // The first reply, or none of them: the last one, which alone could replace the others, was lost.
            for held in [alice.credentials, replies[0]] {
                try gateway.connect(held, DeviceClient.Options(connection: "held")).accepted("profile/get")
            }
            try expectOver(alice.credentials)
            let next = try credentials(
                try gateway.connect(replies[3]).accepted("devices/renew"))
            #expect(!replies.contains(next))
        }

        @Test("a repeat of a request for a token gets the token that the first has made; a new request gets a new one")
        func repeatedRequests() throws {
            let console = try gateway.operatorClient()
            let device: JSON = ["user_id": .string(alice.user), "device_id": "watch"]
            let asked = try (0..<3).map { _ in try console.ask("admin/add-device", device.bytes, as: "again") }
            let added = try asked.map { try console.reply(to: $0)["data"] }
            #expect(Set(added).count == 1)
            func renew(_ watch: DeviceClient, _ name: String) throws -> JSON {
                try watch.reply(to: try watch.ask("devices/renew", [0x7B, 0x7D], as: name))["data"]
            }
            let watch = try gateway.connect(try credentials(added[0]))
            let renewals = try ["one", "one", "two", "two"].map { try renew(watch, $0) }
            #expect(Set(renewals).count == 1 && renewals[0] != added[0])
            // Now that the new token is in use: a late copy of a request makes none, a new request does.
            let anew = try gateway.connect(try credentials(renewals[0]))
            #expect(try renew(anew, "two") == renewals[0])
            #expect(try renew(anew, "three") != renewals[0])
            #expect(try console.accepted("admin/add-device", device) != added[0])
        }

        @Test("revoking a device ends its old token, its new one, and the sessions of both")
        func revokeRenewed() throws {
            let watch = try gateway.client("watch", of: alice.user)
            let renewed = try credentials(try watch.accepted("devices/renew"))
            try alice.accepted("devices/revoke", ["device_id": "watch"])
            #expect(ends(watch))
            for credentials in [watch.credentials, renewed] { expectRefused(credentials) }
        }

        @Test("revoking ends the device's session at once and for good, and is announced to its user")
        func revoke() throws {
            let watch = try gateway.client("watch", of: alice.user)
            try watch.accepted("profile/get")
            try alice.subscribe("parley/v1/users/\(alice.user)/events")
            let left = try alice.accepted("devices/revoke", ["device_id": "watch"])
            #expect(left["devices"].elements.map { $0["device_id"] } == ["phone"])
            let event = try alice.event("device.revoked", on: "users/\(alice.user)/events")
            #expect(event["device_id"] == "watch")
            #expect(ends(watch))
            expectRefused(watch.credentials)
            let again = try alice.accepted("devices/revoke", ["device_id": "watch"])
            #expect(again["devices"].elements.map { $0["device_id"] } == ["phone"])
            let further = alice.events(on: "users/\(alice.user)/events").map { $0["type"] }
            #expect(!further.contains("device.revoked"))
            #expect(try alice.refusal("devices/revoke", ["device_id": "never"]) == "not_found")
        }

        @Test("making a device's token anew ends the session of the old one")
        func anew() throws {
            try alice.accepted("profile/get")
            let renewed = try credentials(try alice.accepted("devices/renew"))
            let anew = try gateway.device("phone", of: alice.user)
            #expect(ends(alice))
            for credentials in [alice.credentials, renewed] { expectRefused(credentials) }
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
