import Testing

extension GatewayTests {
    /// Which devices a message must be sealed for (protocol §6).
    @Suite("Stale devices")
    final class StaleDevicesTests: PairSuite {
        private func keys(_ devices: (String, String)...) -> JSON {
            let keys = devices.map { user, device -> JSON in
                [
                    "user_id": .string(user), "device_id": .string(device),
                    "encrypted_key": .string(base64([UInt8](repeating: 1, count: 60))),
                ]
            }
            return ["recipient_keys": .array(keys)]
        }

        private func addresses(_ devices: (String, String)...) -> JSON {
            .array(devices.map { ["user_id": .string($0), "device_id": .string($1)] })
        }

        private func publishKeys(_ device: DeviceClient) throws {
            try device.accepted("keys/publish", ["identity_key": .string(base64(KeyPair().identityKey))])
        }

        @Test("recipient keys must name the devices of all members with published keys, the sending one left out")
        func exact() throws {
            try publishKeys(alice)
            try publishKeys(bob)
            let watch = try gateway.client("watch", of: alice.user)
            try publishKeys(watch)
            let right = keys((bob.user, "phone"), (alice.user, "watch"))
            let sent = message(conversation, right)
            try alice.accepted("messages/send", sent)
            let page = try bob.accepted("history/get", ["conversation_id": .string(conversation)])
            #expect(page["messages"][0]["recipient_keys"] == right["recipient_keys"])

            let missing = try alice.request("messages/send", message(conversation, keys((bob.user, "phone"))))["error"]
            #expect(missing["code"] == "stale_devices")
            #expect(missing["missing"] == addresses((alice.user, "watch")))
            #expect(missing["extra"] == [])

            let extra = keys(
                (bob.user, "phone"), (alice.user, "watch"), (bob.user, "gone"), ("stranger", "phone"),
                (alice.user, "phone"))
            let refused = try alice.request("messages/send", message(conversation, extra))["error"]
            #expect(refused["code"] == "stale_devices")
            #expect(refused["missing"] == [])
            #expect(
                refused["extra"] == addresses((bob.user, "gone"), ("stranger", "phone"), (alice.user, "phone")))

            let none = try alice.request("messages/send", message(conversation, keys()))["error"]
            #expect(none["missing"].elements.count == 2)
        }
    }
}
