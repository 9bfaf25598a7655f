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

        @Test("without recipient keys a message is accepted while at most one other device has published keys")
        func single() throws {
            try alice.accepted("messages/send", message(conversation))
            try publishKeys(alice)
            try publishKeys(bob)
            try alice.accepted("messages/send", message(conversation))
            let tablet = try gateway.client("tablet", of: bob.user)
            try alice.accepted("messages/send", message(conversation))
            try publishKeys(tablet)
            let error = try alice.request("messages/send", message(conversation))["error"]
            #expect(error["code"] == "stale_devices")
            #expect(error["missing"] == addresses((bob.user, "phone"), (bob.user, "tablet")))
            #expect(error["extra"] == [])
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

        @Test("a revoked device is extra at once, and a repeat of what was sealed for it is still answered")
        func revoked() throws {
            try publishKeys(bob)
            let tablet = try gateway.client("tablet", of: bob.user)
            try publishKeys(tablet)
            let both = keys((bob.user, "phone"), (bob.user, "tablet"))
            let sent = message(conversation, both)
            let first = try alice.accepted("messages/send", sent)
            try bob.accepted("devices/revoke", ["device_id": "tablet"])
            #expect(try alice.accepted("messages/send", sent) == first)
            let error = try alice.request("messages/send", message(conversation, both))["error"]
            #expect(error["extra"] == addresses((bob.user, "tablet")))
            try alice.accepted("messages/send", message(conversation, keys((bob.user, "phone"))))
        }

        @Test("a device that is named twice is refused, and so are more keys than there may be")
        func malformed() throws {
            let twice = keys((bob.user, "phone"), (bob.user, "phone"))
            #expect(try alice.refusal("messages/send", message(conversation, twice)) == "bad_request")
            let many = JSON.array((0..<129).map { keys((bob.user, "d\($0)"))["recipient_keys"][0] })
            #expect(
                try alice.refusal("messages/send", message(conversation, ["recipient_keys": many])) == "too_large")
        }
    }
}
