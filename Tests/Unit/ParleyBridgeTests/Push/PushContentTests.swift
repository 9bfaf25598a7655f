import ParleyProtocol
import ParleyPush
import TestNames
import TestedStores
import Testing

@testable import ParleyBridge

@Suite("What a push service is given", .onEveryStore)
struct PushContentTests {
    @Test("a webhook gets no ciphertext of what is to disappear, and whoever drops what has expired does")
    func disappearing() throws {
        func ciphertexts(expiresIn: Int?, withFCM: Bool) throws -> [Bool] {
            let world = try PushWorld()
            if withFCM { try world.registerWithFCM() }
            try world.write(expiresIn: expiresIn)
            let deliveries = try world.build(try world.step().begun).deliveries
            #expect(deliveries.allSatisfy { $0.notification.subject.seq == 1 })
            return deliveries.map { $0.notification.message != nil }
        }
        #expect(try ciphertexts(expiresIn: nil, withFCM: false) == [true])
        #expect(try ciphertexts(expiresIn: 60, withFCM: false) == [false])
        #expect(try ciphertexts(expiresIn: 60, withFCM: true) == [true])
    }

    @Test("reactions of a conversation take each other's place, and never that of a message")
    func reactionsCollapse() throws {
        let world = try PushWorld()
        let group = try world.test.conversation(["alice", "bob", "carol"])
        let message = MessageID.random()
        try world.perform(send(group, id: message, from: device("bob", "phone")))
        for user in ["alice", "carol"] as [UserID] {
            try world.perform(change(.reaction, message, in: group, from: device(user, "phone")))
        }
        var collapses: [ConversationID?] = []
        var outcomes: [PushOutcome] = []
        for _ in 0..<2 {
            let begun = try world.step(outcomes: outcomes).begun
            collapses += try world.build(begun).deliveries.map(\.collapse)
            outcomes = world.outcomes(begun, .accepted(status: 200))
        }
        #expect(collapses.count == 2 && collapses[0] != nil && collapses[0] == collapses[1])
        #expect(!collapses.contains(group))
    }

    @Test("five hundred reactions are one push, and leave in the feed what asks for something")
    func manyReactions() throws {
        let world = try PushWorld()
        let group = try world.test.conversation(["bob", "carol"])
        try world.social.makeChallenge(.random(), in: group, by: "carol", to: "bob")
        var events = 0
        for _ in 0..<26 {
            let messages = (0..<20).map { _ in MessageID.random() }
            world.test.carryOut(try messages.map { try send(group, id: $0, from: device("bob", "phone")) })
            for message in messages {
                let reaction = try change(.reaction, message, in: group, from: device("carol", "phone"))
                events += try world.test.carryOut([reaction]).effects.outgoing.events
                    .count { $0.event == "notification.new" }
            }
        }
        #expect(events == 1)
        func feed() throws -> NotificationPage {
            let reply = try world.social.read(ListNotifications.self, by: "bob")
            return try NotificationPage(reading: try #require(try JSONObject(parsing: reply.payload).object("data")))
        }
        #expect(try feed().items.map(\.type) == [.known(.reaction), .known(.challengeReceived)])
        #expect(try feed().items.first?.subject.seq == 1020)
        var (pushes, outcomes): (Int, [PushOutcome]) = (0, [])
        while true {
            let begun = try world.step(outcomes: outcomes).begun
            if begun.isEmpty { break }
            pushes += begun.count
            outcomes = world.outcomes(begun, .accepted(status: 200))
        }
        #expect(pushes == 2)
        // What was read tells of nothing more: the next is notified of anew.
        try world.social.ask(MarkNotificationsRead.self, by: "bob", #"{"all":true}"#)
        let next = MessageID.random()
        world.test.carryOut([try send(group, id: next, from: device("bob", "phone"))])
        let reaction = try change(.reaction, next, in: group, from: device("carol", "phone"))
        #expect(try world.social.result(of: reaction).events.contains("users/bob/notifications: notification.new"))
        #expect(try feed().items.map(\.isRead) == [false, true, true])
    }
}
