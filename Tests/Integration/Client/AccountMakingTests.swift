import ParleyClient
import ParleyCrypto
import ParleyProtocol
import Testing

extension GatewayTests {
    @Suite("Who makes a user's account key", .timeLimit(.minutes(20)))
    struct AccountMakingTests {
        let gateway: TestGateway
        let phone: ChatDevice
        let tablet: ChatDevice

        init() throws {
            gateway = try SharedGateway.current
            phone = try gateway.chatter()
            tablet = try gateway.chatDevice("tablet", of: phone.user.text)
        }

        private func keys(of device: ChatDevice) throws -> DeviceKeySet { try device.configuration.keys.keys() }

        private func listed() async throws -> UserKeys {
            let user = phone.user
            return try await DeviceConnection.open(phone.configuration.connection) { connection in
                try await GatewayRequests(connection, timeout: chatPatience).ask(GetKeys(user: user))
            }
        }

        @Test("the first device makes it, certifies itself and publishes; the next one waits to be linked, and says so")
        func first() async throws {
            try await phone.chat { _ in }
            let made = try #require(try keys(of: phone).accountKey)
            #expect(try await listed().accountKey == made.bytes)
            try await MessagingClient.open(tablet.configuration) { client in
                var events = ClientEvents(client)
                _ = try await events.next("that it is to be linked") { event -> Bool? in
                    if case .keys(.thisDeviceNotLinked(tablet.address)) = event { true } else { nil }
                }
                try await client.ready(timeout: chatPatience)
            }
            #expect(try keys(of: tablet).accountKey == nil)
            let devices = try await listed().devices
            #expect(devices.filter { made.hasCertified($0, of: phone.user) }.map(\.device) == [phone.address.device])
            #expect(devices.count == 2)
            // The same certificate again, with the next connection.
            try await phone.chat { _ in }
            #expect(try await listed().devices == devices)
        }

        @Test("of two that begin at once one makes it, and the other gives up what nobody has seen")
        func atOnce() async throws {
            for device in [phone, tablet] {
                _ = try device.configuration.keys.change(.newAccount, now: .now)
                #expect(try keys(of: device).status.isProposed)
            }
            async let one: Void = phone.chat { _ in }
            async let other: Void = tablet.chat { _ in }
            _ = try await (one, other)
            let held = [try keys(of: phone), try keys(of: tablet)].compactMap(\.accountKey)
            #expect(held.count == 1)
            #expect(try await listed().accountKey == held.first?.bytes)
            for device in [phone, tablet] { #expect(try keys(of: device).status.isProposed == false) }
        }

        @Test("a gateway that has another account key by now takes nothing from a device, which warns")
        func refused() async throws {
            try await phone.chat { _ in }
            try tablet.link(by: phone)
            let before = try #require(try keys(of: tablet).accountKey)
            try await phone.chat { client in try await client.account.reset() }
            #expect(try keys(of: phone).accountKey != before)
            try await MessagingClient.open(tablet.configuration) { client in
                var events = ClientEvents(client)
                _ = try await events.next("a warning") { event -> Bool? in
                    if case .keys(.ownAccountKeyRefused(tablet.user)) = event { true } else { nil }
                }
                try await client.ready(timeout: chatPatience)
                let shown = try await client.keys.safetyNumber(with: tablet.user)
                do {
                    try await client.keys.accept(shown.shown)
                    Issue.record("another account key of one's own was accepted")
                } catch ClientError.notAccepted(let error) {
                    #expect(error == .ownAccount)
                }
            }
            #expect(try keys(of: tablet).accountKey == before)
        }

        @Test("a device that is made, and one that publishes unlinked, are told to the user's others at once")
        func told() async throws {
            try await phone.chat { client in
                var events = ClientEvents(client)
                let tv = try gateway.chatDevice("tv", of: phone.user.text)
                _ = try await events.next("a device that was made") { event -> Bool? in
                    if case .keys(.ownDeviceMade(tv.address)) = event { true } else { nil }
                }
                try await tv.chat { _ in }
                _ = try await events.next("a device that nobody linked") { event -> Bool? in
                    if case .keys(.ownDeviceNotLinked(tv.address)) = event { true } else { nil }
                }
            }
        }
    }
}
