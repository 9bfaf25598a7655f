import Foundation
import ParleyProtocol
import ParleyStore
import TestNames
import TestedStores
import Testing

@testable import ParleyBridge

/// Changes in a direct conversation, by what is between the two.
@Suite("Changes of messages between two people", .onEveryStore)
struct ChangesBetweenTwoTests {
    private let world: SocialWorld
    private let conversation: ConversationID
    private let message = MessageID.random()

    /// Alice has asked to write to Bob.
    init() throws {
        world = try SocialWorld()
        conversation = try ConversationID.direct(["alice", "bob"])
        try world.create(by: "alice", with: "bob")
        try world.write("alice", to: "bob", id: message)
    }

    private func code(_ kind: RecordKind, of id: MessageID? = nil, by user: UserID) throws -> String? {
        try world.result(
            of: try change(kind, id ?? message, in: conversation, from: device(user, "phone"))
        ).code
    }

    @Test("a message that waits as a request is deleted by its sender, and neither edited nor reacted to")
    func waitingRequestIsOnlyDeleted() throws {
        #expect(try code(.edit, by: "alice") == "request_limit")
        #expect(try code(.reaction, by: "alice") == "request_limit")
        #expect(try code(.reaction, by: "bob") == "not_found")
        #expect(try code(.delete, by: "bob") == "not_found")
        #expect(try code(.delete, by: "alice") == nil)
    }

    @Test("once it is accepted both may react, and the sender edit")
    func acceptedMayBeChanged() throws {
        try world.ask(AcceptRequest.self, by: "bob", #"{"conversation_id":"\#(conversation)"}"#)
        #expect(try code(.edit, by: "alice") == nil)
        #expect(try code(.reaction, by: "alice") == nil)
        #expect(try code(.reaction, by: "bob") == nil)
        #expect(try code(.edit, by: "bob") == "forbidden")
    }

    @Test("a block ends edits and reactions of both, and tells neither of it; each deletes what is theirs")
    func blockEndsChanges() throws {
        try world.befriend("alice", "bob")
        let answer = MessageID.random()
        try world.write("bob", to: "alice", id: answer)
        #expect(try code(.edit, by: "alice") == nil)
        try world.ask(Block.self, by: "bob", of: "alice")
        #expect(try code(.edit, by: "alice") == "request_limit")
        #expect(try code(.reaction, of: answer, by: "alice") == "request_limit")
        #expect(try code(.edit, of: answer, by: "bob") == "blocked")
        #expect(try code(.reaction, by: "bob") == "blocked")
        #expect(try code(.delete, by: "alice") == nil)
        #expect(try code(.delete, of: answer, by: "bob") == nil)
    }

    @Test("the event of a request that is to disappear holds no ciphertext, and the list of requests does")
    func eventHoldsNoCiphertext() throws {
        for (sender, seconds) in [("carol", 60), ("alice", nil)] as [(UserID, Int?)] {
            let other = try SocialWorld()
            try other.create(by: sender, with: "bob")
            let direct = try ConversationID.direct([sender, "bob"])
            let asked =
                if let seconds {
                    try send(direct, expiresIn: seconds, from: device(sender, "phone"))
                } else {
                    try send(direct, from: device(sender, "phone"))
                }
            let outcome = other.test.carryOut([asked])
            let event = try #require(try outcome.effects.outgoing.events.first { $0.event == "message.request" })
            let announced = try #require(event.data["message"] as? [String: Any])
            #expect((announced["encrypted_content"] is NSNull) == (seconds != nil))
            let listed = try #require(try other.read(ListRequests.self, by: "bob").data["items"] as? [[String: Any]])
            let waiting = try #require(listed.first?["message"] as? [String: Any])
            #expect(waiting["encrypted_content"] is String)
        }
    }
}
