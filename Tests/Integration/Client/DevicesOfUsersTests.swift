import ParleyClient
import ParleyCrypto
import ParleyProtocol
import Testing

extension GatewayTests {
    @Suite("Clients of users with several devices", .timeLimit(.minutes(20)))
    struct DevicesOfUsersTests {
        let gateway: TestGateway

        init() throws { gateway = try SharedGateway.current }

        @Test("every device of both reads what any of them writes", arguments: [nil, Suite.Bound.naclBox, .groupBox])
        func three(suite: Suite.Bound?) async throws {
            let (phone, other) = (try gateway.chatter(), try gateway.chatter())
            let tablet = try gateway.chatDevice("tablet", of: phone.user.text)
            try await phone.chat { _ in }
            try tablet.link(by: phone)
            try await phone.chat { phoneClient in
                try await tablet.chat { tabletClient in
                    try await other.chat { otherClient in
                        let conversation = try await phoneClient.conversation(with: other.user).id
                        var events = [
                            ClientEvents(phoneClient), ClientEvents(tabletClient), ClientEvents(otherClient),
                        ]
                        for (number, client) in [phoneClient, tabletClient, otherClient].enumerated() {
                            let id = try await client.send(.text("from \(number)"), to: conversation, suite: suite)
                            for index in events.indices {
                                let message = try await events[index].message()
                                #expect(message.id == id)
                                #expect(message.text == "from \(number)")
                                #expect(message.sender == client.device)
                            }
                        }
                    }
                }
            }
        }

        @Test(
            "a device that is added in mid-conversation gets what is sent from then on, without the app doing anything")
        func added() async throws {
            let (one, other) = (try gateway.chatter(), try gateway.chatter())
            try await one.chat { alice in
                let conversation = try await alice.conversation(with: other.user).id
                try await other.chat { bob in
                    let first = try await alice.send(.text("before"), to: conversation)
                    _ = try await alice.outcome(of: first)
                    let tablet = try gateway.chatDevice("tablet", of: other.user.text)
                    try tablet.link(by: other)
                    try await tablet.chat { bobsTablet in
                        var (atAlice, atTablet) = (ClientEvents(alice), ClientEvents(bobsTablet))
                        let second = try await alice.send(.text("after"), to: conversation)
                        _ = try await alice.outcome(of: second)
                        let added = try await atAlice.next("the news of a device") { event in
                            if case .keys(.deviceAdded(let device)) = event { device } else { nil }
                        }
                        #expect(added == tablet.address)
                        let message = try await atTablet.message()
                        #expect(message.id == second && message.text == "after")
                        // Earlier messages stand in their places, with the reason why they cannot be read.
                        let history = try await bobsTablet.history(of: conversation)
                        #expect(history.messages.map(\.id) == [first, second])
                        #expect(
                            history.messages.first?.content == .unreadable(.notForThisDevice)
                                || history.messages.first?.content == .unreadable(.notAuthentic))
                        // Others learn of the new device by its messages.
                        let third = try await bobsTablet.send(.text("from the tablet"), to: conversation)
                        let received = try await atAlice.message(from: other.user)
                        #expect(received.id == third && received.text == "from the tablet")
                        _ = bob
                    }
                }
            }
        }

        @Test("a device that nobody linked is sealed for by nobody, and everybody is told")
        func unlinked() async throws {
            let (one, other) = (try gateway.chatter(), try gateway.chatter())
            let tablet = try gateway.chatDevice("tablet", of: other.user.text)
            try await chat(one, other) { alice, bob in
                let conversation = try await alice.conversation(with: other.user).id
                try await MessagingClient.open(tablet.configuration) { bobsTablet in
                    // Before its keys are published, which may be told at once.
                    var (atAlice, atBob) = (ClientEvents(alice), ClientEvents(bob))
                    // It may come before the message or after it.
                    var warnings = ClientEvents(bob)
                    var atTablet = ClientEvents(bobsTablet)
                    try await bobsTablet.ready(timeout: chatPatience)
                    let id = try await alice.send(.text("for the phone"), to: conversation)
                    _ = try await alice.outcome(of: id)
                    let notice = try await atAlice.next("word of the tablet") { event -> PeerKeyNotice? in
                        if case .keys(let notice) = event, notice != .met(other.user, hasAccountKey: true) {
                            notice
                        } else {
                            nil
                        }
                    }
                    #expect(notice == .deviceIgnored(tablet.address, .uncertified))
                    let leftOut = try await atAlice.next("who was left out") { event in
                        if case .leftOut(id, in: conversation, let devices) = event { devices } else { nil }
                    }
                    #expect(leftOut == [tablet.address])
                    let received = try await atBob.message()
                    #expect(received.text == "for the phone" && received.leftOut == [tablet.address])
                    let unread = try await atTablet.message()
                    #expect(unread.content == .unreadable(.leftOut))
                    let own = try await alice.history(of: conversation).messages.last
                    #expect(own?.leftOut == [tablet.address])
                    // Bob's own device is told loudly, at the latest when it looks.
                    _ = try await bob.keys.safetyNumber(with: one.user)
                    let loud = try await warnings.next("a warning") { event -> PeerKeyNotice? in
                        if case .keys(.ownDeviceNotLinked(let device)) = event {
                            .ownDeviceNotLinked(device)
                        } else {
                            nil
                        }
                    }
                    #expect(loud == .ownDeviceNotLinked(tablet.address))
                    let hidden = try await bobsTablet.send(.text("by nobody"), to: conversation)
                    let shown = try await atAlice.message(from: other.user)
                    #expect(shown.id == hidden && shown.content == .unreadable(.senderNotCertified))
                }
            }
        }

        @Test("a device that was revoked is sealed for no more")
        func revoked() async throws {
            let (one, other) = (try gateway.chatter(), try gateway.chatter())
            let tablet = try gateway.chatDevice("tablet", of: other.user.text)
            try await other.chat { _ in }
            try tablet.link(by: other)
            try await tablet.chat { _ in }
            try await one.chat { alice in
                let conversation = try await alice.conversation(with: other.user).id
                let first = try await alice.send(.text("to both"), to: conversation)
                _ = try await alice.outcome(of: first)
                let console = try gateway.operatorClient()
                try console.accepted(
                    "admin/revoke-device", ["user_id": .string(other.user.text), "device_id": "tablet"])
                console.disconnect()
                let second = try await alice.send(.text("to one"), to: conversation)
                _ = try await alice.outcome(of: second)
            }
            let reader = try gateway.client("reader", of: other.user.text)
            let made = try reader.accepted("conversations/list")["conversations"][0]["id"].text ?? ""
            let page = try reader.accepted("history/get", ["conversation_id": .string(made)])["messages"]
            #expect(page[0]["recipient_keys"].elements.map { $0["device_id"] }.count == 2)
            // One device left: the content itself is sealed for it.
            #expect(page[1]["recipient_keys"] == .null)
        }

        @Test("a group of three reads what each of them writes")
        func group() async throws {
            let devices = try (0..<3).map { _ in try gateway.chatter() }
            for device in devices { try await device.chat { _ in } }
            try await devices[0].chat { first in
                try await devices[1].chat { second in
                    try await devices[2].chat { third in
                        var arrivals = [ClientEvents(second), ClientEvents(third)]
                        let group = try await first.groups.create(name: "Trio", with: devices[1...].map(\.user))
                        #expect(group.members.count == 3)
                        for index in arrivals.indices {
                            let added = try await arrivals[index].next("the group") { event in
                                if case .conversationAdded(let summary) = event { summary } else { nil }
                            }
                            #expect(added.id == group.id && added.name == "Trio")
                        }
                        var events = [ClientEvents(first), ClientEvents(second), ClientEvents(third)]
                        for (number, client) in [first, second, third].enumerated() {
                            let id = try await client.send(.text("by \(number)"), to: group.id)
                            for index in events.indices {
                                let message = try await events[index].message()
                                #expect(message.id == id && message.text == "by \(number)")
                                #expect(message.suite == .known(.groupBox))
                            }
                        }
                    }
                }
            }
        }
    }
}
