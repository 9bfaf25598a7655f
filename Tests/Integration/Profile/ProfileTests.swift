import Testing

extension GatewayTests {
    @Suite("Profile")
    struct ProfileTests {
        let gateway: TestGateway
        let alice: DeviceClient

        init() throws {
            gateway = try SharedGateway.current
            alice = try gateway.connect(try gateway.person())
        }

        @Test("only what is named changes, and null clears what may be null")
        func set() throws {
            let before = try alice.accepted("profile/get")
            #expect(before["display_name"].text == alice.user)
            let changes: JSON = [
                "display_name": "Älice", "photo_url": "https://example.org/a.png", "time_zone": "Europe/Berlin",
                "quiet_hours": ["from": "22:00", "to": "07:00"], "message_privacy": "anyone", "presence": "nobody",
                "send_typing": false,
            ]
            #expect(try alice.accepted("profile/set", changes) == before.with(changes))
            #expect(try alice.accepted("profile/get") == before.with(changes))
            let cleared = try alice.accepted("profile/set", ["photo_url": nil, "quiet_hours": nil])
            #expect(cleared == before.with(changes).with(["photo_url": nil, "quiet_hours": nil]))
        }

        @Test("others see the name and the picture alone")
        func others() throws {
            let bob = try gateway.connect(try gateway.person())
            let seen = try bob.accepted("profile/get", ["user_id": .string(alice.user)])
            #expect(seen.keys == ["user_id", "display_name", "photo_url", "followers_count", "following_count"])
            #expect(try bob.refusal("profile/get", ["user_id": "nobody"]) == "not_found")
        }

        @Test(
            "what cannot be is refused, and nothing of it is set",
            arguments: [
                ["display_name": ""], ["display_name": .string(String(repeating: "n", count: 101))],
                ["message_privacy": "all"], ["presence": true], ["send_typing": "no"], ["time_zone": "Mars/Olympus"],
                ["time_zone": "/etc/passwd"], ["quiet_hours": ["from": "22:00"]],
                ["quiet_hours": ["from": "24:00", "to": "07:00"]], ["quiet_hours": "22-07"],
            ] as [JSON])
        func refused(_ change: JSON) throws {
            let before = try alice.accepted("profile/get")
            let whole: JSON = ["photo_url": "https://example.org/x"]
            #expect(try alice.refusal("profile/set", whole.with(change)) == "bad_request")
            #expect(try alice.accepted("profile/get") == before)
        }
    }
}
