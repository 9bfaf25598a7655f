import LyingGateway
import ParleyClient
import ParleyProtocol
import TestSupport
import Testing

@Suite("What is sealed and told while keys are not accepted, or are one's own", .ownThreads, .timeLimit(.minutes(20)))
struct HeldKeysTests {
    private let bob = UserID(validated: "bob")
    private let dora = UserID(validated: "dora")
    private let gateway: LyingGateway
    private let alice: LiedToDevice

    init() throws {
        gateway = try LyingGateway()
        alice = try LiedToDevice(at: gateway)
        for user in [bob, dora] { try gateway.add(user, hasAccount: true) }
    }

    @Test("whoever is left out of what is sent to a group is named to its sender, and the others get it")
    func leftOut() async throws {
        try await alice.chat { client, events in
            let group = try await client.groups.create(name: nil, with: [bob, dora])
            try await client.write("to both", in: group.id)
            try gateway.reset(bob)
            try await events.catchUp(with: gateway, as: alice)
            let id = try await client.send(.text("to one"), to: group.id)
            let left = try await events.next("who was left out") { event -> [DeviceAddress]? in
                if case .leftOut(id, _, let devices) = event { devices } else { nil }
            }
            #expect(left.map(\.user) == [bob])
        }
        #expect(gateway.heard.filter { $0.text.contains("to one") }.map(\.device.user) == [dora])
    }

    @Test(
        "what was sealed for keys that are no more is sealed anew once others are accepted, whatever the gateway takes")
    func sealedAnew() async throws {
        try await alice.chat { client, _ in
            let chat = try await client.write("first", to: bob)
            gateway.setBusy(with: bob)
            let id = try await client.send(.text("second"), to: chat)
            // It has had its turn when what is behind it is out.
            try await client.write("anything", to: dora)
            try gateway.reset(bob)
            _ = try await client.keys.accept(try await client.shownNumber(with: bob).shown)
            gateway.takeAnything()
            gateway.setBusy(with: nil)
            _ = try await client.outcome(of: id)
        }
        #expect(gateway.heard.contains { $0.text == #"{"text":"second"}"# }, "it was sealed for keys that are gone")
    }

    @Test("a message to somebody whose keys have changed waits, and goes out once they are accepted")
    func waits() async throws {
        try await alice.chat { client, events in
            let chat = try await client.write("first", to: bob)
            try gateway.reset(bob)
            try await events.catchUp(with: gateway, as: alice)
            let id = try await client.send(.text("second"), to: chat)
            // It has had its turn when what is behind it is out.
            try await client.write("anything", to: dora)
            #expect(await client.keys.heldUser(in: chat) == bob)
            _ = try await client.keys.accept(try await client.shownNumber(with: bob).shown)
            _ = try await client.outcome(of: id)
        }
        #expect(gateway.heard.map(\.text).last == #"{"text":"second"}"#)
    }

    @Test("a new group that is answered under another id is refused as what it is")
    func anotherGroup() async throws {
        try await alice.chat { client, _ in
            try gateway.tell(.conversation(.newGroupUnderAnotherID), about: bob, to: alice.address)
            do {
                _ = try await client.groups.create(name: nil, with: [bob, dora])
                Issue.record("it was taken")
            } catch ClientError.gatewayFault(.otherConversation) {
                #expect(gateway.readings.isEmpty)
            }
        }
    }

    @Test("other digits than those of the listed keys accept nothing")
    func compared() async throws {
        try await alice.chat { client, events in
            try await client.write("first", to: bob)
            let before = try await client.shownNumber(with: bob).digits
            try gateway.reset(bob)
            try await events.catchUp(with: gateway, as: alice)
            _ = try await client.shownNumber(with: bob)
            await #expect(throws: ClientError.self) { try await client.keys.accept(of: bob, matching: before) }
            #expect(await client.keys.isPending(bob))
        }
    }

    @Test("another account key for oneself is not accepted where this device holds the true one, though it was shown")
    func ownAccount() async throws {
        try await alice.chat { client, _ in
            try gateway.tell(.keys(.ownAccountClaimed), about: bob, to: alice.address)
            let shown = try await client.shownNumber(with: alice.user).shown
            do {
                try await client.keys.accept(shown)
                Issue.record("it was accepted")
            } catch ClientError.notAccepted(.ownAccount) {
                #expect(await client.account.isLinked)
            }
        }
    }

    @Test("keys of somebody else than was asked for are told as what they are")
    func keysOfAnother() async throws {
        try await alice.chat { client, events in
            try gateway.tell(.keys(.keysOfAnotherUser), about: bob, to: alice.address)
            _ = try? await client.shownNumber(with: bob)
            try await events.wait(for: "the fault") {
                if case .gatewayFault(.unreadableKeys(bob)) = $0 { true } else { false }
            }
        }
    }

    @Test("a device that is told of as one's own is told on")
    func ownDeviceMade() async throws {
        try await alice.chat { _, events in
            try gateway.tell(.event(.deviceAdded), about: bob, to: alice.address)
            try await events.wait(for: "the new device") {
                if case .keys(.ownDeviceMade(let device)) = $0, device.device.text == "ghost" { true } else { false }
            }
        }
    }

    @Test("a device that nobody has linked seals for no other of its user, whatever account key is listed")
    func unlinked() async throws {
        let tablet = try LiedToDevice(alice.user, DeviceID(validated: "tablet"), at: gateway)
        try await alice.chat { _, _ in }
        try gateway.tell(.keys(.ownAccountClaimed), about: bob, to: tablet.address)
        try await tablet.chat { client, _ in
            #expect(await !client.account.isLinked)
            try await client.write("a secret", to: bob)
        }
        #expect(gateway.readings.isEmpty)
        #expect(gateway.heard.map(\.text) == [#"{"text":"a secret"}"#])
    }

    @Test("a gateway that refuses the account key takes nothing from the device, which says so")
    func refused() async throws {
        try await alice.chat { _, _ in }
        try gateway.tell(.link(.accountRefused), about: alice.user, to: alice.address)
        try await alice.chat { client, events in
            try await events.wait(for: "the warning") {
                if case .keys(.ownAccountKeyRefused) = $0 { true } else { false }
            }
            #expect(await client.account.isLinked)
        }
    }
}
