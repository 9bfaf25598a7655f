import Testing

extension GatewayTests {
    @Suite("Profile")
    final class ProfileTests: PersonSuite {
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
            let bob = try gateway.client()
            let seen = try bob.accepted("profile/get", ["user_id": .string(alice.user)])
            #expect(seen.keys == ["user_id", "display_name", "photo_url", "followers_count", "following_count"])
            for unknown in ["nobody", "operator"] as [JSON] {
                #expect(try bob.refusal("profile/get", ["user_id": unknown]) == "not_found")
            }
        }
    }
}
