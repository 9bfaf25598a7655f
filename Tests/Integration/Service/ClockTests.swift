import Foundation
import ParleyProtocol
import ParleyRules
import TestSupport
import Testing

/// A gateway in this process, whose clocks a test sets, with a real broker.
@Suite("Clock", .ownThreads, .oneMachine(.clock))
struct ClockTests {
    private static let minute: Int64 = 60_000
    private static let tenYears: Int64 = 3_652 * 86_400_000

    /// How far a time from the gateway is ahead of the real time, in milliseconds.
    private func ahead(_ time: JSON, _ clock: MovedClock) throws -> Int64 {
        let text = try #require(time.text)
        return try #require(Timestamp(text)).milliseconds - clock.reading.wall.milliseconds
    }

    private func send(_ client: DeviceClient, _ conversation: String, expiresIn: Int? = nil) throws -> JSON {
        let changes: JSON = expiresIn.map { ["expires_in": .int($0)] } ?? [:]
        try client.accepted("messages/send", message(conversation, changes))
        let page = try client.accepted("history/get", ["conversation_id": .string(conversation), "limit": 1])
        return page["messages"][0]
    }

    private func log(_ client: DeviceClient, _ conversation: String) throws -> [JSON] {
        try client.accepted("history/get", ["conversation_id": .string(conversation)])["messages"].elements
    }

    private func awaitDisappearance(_ count: Int, _ client: DeviceClient, _ conversation: String) throws {
        try eventually("the disappearance") { () -> Void? in
            let gone = try log(client, conversation).count { $0["encrypted_content"] == .null }
            return gone == count ? () : nil
        }
    }

    @Test("ten years that have stood are followed, and neither stay nor keep what is to disappear")
    func followedStep() async throws {
        let host = try TestGateway(start: false)
        try host.startBroker()
        let clock = MovedClock()
        try await host.runInProcess(by: clock) {
            let (alice, bob, conversation) = try host.pair()
            let early = try send(alice, conversation, expiresIn: 3600)
            clock.set(aheadBy: Self.tenYears)
            _ = try send(alice, conversation)
            clock.move(by: 5 * Self.minute)
            let during = try send(alice, conversation, expiresIn: 3600)
            #expect(try abs(ahead(during["created_at"], clock)) < Self.minute)
            clock.set(aheadBy: 0)
            _ = try send(alice, conversation)
            clock.move(by: 10 * Self.minute)
            let after = try send(alice, conversation, expiresIn: 3600)
            #expect(try abs(ahead(after["created_at"], clock)) < Self.minute)
            #expect(try abs(ahead(after["expires_at"], clock) - 3_600_000) < Self.minute)
            // Nothing has disappeared early; an hour after each was written it does.
            #expect(try log(bob, conversation).allSatisfy { $0["encrypted_content"] != .null })
            let list = try bob.accepted("conversations/list")["conversations"][0]
            #expect(try abs(ahead(list["updated_at"], clock)) < Self.minute)
            clock.move(by: 61 * Self.minute)
            try awaitDisappearance(1, bob, conversation)
            #expect(try log(bob, conversation)[0]["id"] == early["id"])
            clock.move(by: 66 * Self.minute)
            try awaitDisappearance(2, bob, conversation)
            clock.move(by: 71 * Self.minute)
            try awaitDisappearance(3, bob, conversation)
        }
    }

    @Test("what is to disappear does so after its time, however the gateway and the machine were started meanwhile")
    func restarts() async throws {
        let host = try TestGateway(start: false)
        try host.startBroker()
        let clock = MovedClock()
        var conversation = ""
        var alice: DeviceClient?
        try await host.runInProcess(by: clock, boot: "first") {
            let pair = try host.pair()
            (alice, conversation) = (pair.alice, pair.conversation)
            for hours in [1, 3, 24] { _ = try send(pair.alice, conversation, expiresIn: hours * 3600) }
        }
        let client = try #require(alice)
        // Two hours later, in the same run of the machine, by a time of day that is false by ten years.
        clock.move(by: 120 * Self.minute)
        clock.set(aheadBy: Self.tenYears)
        try await host.runInProcess(by: clock, boot: "first") { try awaitDisappearance(1, client, conversation) }
        // Another run, by the true time of day: the pause that it says is less than nothing.
        clock.set(aheadBy: 0)
        clock.move(by: 121 * Self.minute)
        try await host.runInProcess(by: clock, boot: "second") {
            try awaitDisappearance(1, client, conversation)
            clock.move(by: 183 * Self.minute)
            try awaitDisappearance(2, client, conversation)
            _ = try send(client, conversation)
        }
        // And another, a day later.
        clock.move(by: 26 * 60 * Self.minute)
        try await host.runInProcess(by: clock, boot: "third") { try awaitDisappearance(3, client, conversation) }
    }
}
