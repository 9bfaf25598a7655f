import Glibc
import ParleyProtocol
import TestSupport
import Testing

/// kill -9 while a user is erased, which takes many transactions.
@Suite("Erasures and kills", .ownThreads)
struct ErasureKillTests {
    private static let count = 1000
    private static let kills = 5

    /// The conversation as it is read, from the first message to the last.
    private func history(_ conversation: String, by reader: DeviceClient) throws -> [JSON] {
        var messages: [JSON] = []
        while true {
            let page = try reader.accepted(
                "history/get",
                [
                    "conversation_id": .string(conversation), "limit": 200,
                    "after": .int(messages.last?["seq"].int ?? 0),
                ])
            messages += page["messages"].elements
            if page["has_more"] != true { return messages }
        }
    }

    private func isErased(_ message: JSON) -> Bool { message["encrypted_content"] == .null }

    @Test(
        "an erased user's messages keep their places and nothing else, however often the gateway is killed meanwhile",
        .oneMachine(.connection))
    func erase() throws {
        let gateway = try TestGateway()
        let (alice, bob, conversation) = try gateway.pair()
        let asked = try (0..<ErasureKillTests.count).map { number in
            let sender = number % 10 == 0 ? alice : bob
            return (sender, try sender.ask("messages/send", message(conversation).bytes))
        }
        for (sender, correlation) in asked { _ = try sender.reply(to: correlation) }
        let before = try history(conversation, by: alice)
        let ofBob = before.count { $0["sender_id"].text == bob.user }
        #expect(before.count == ErasureKillTests.count && ofBob == ErasureKillTests.count / 10 * 9)

        let user: JSON = ["user_id": .string(bob.user)]
        let console = try gateway.operatorClient()
        #expect(try console.accepted("admin/erase-user", user)["changed"] == true)
        var (kills, erased) = (0, 0)
        while kills < ErasureKillTests.kills, erased < ofBob {
            erased = try eventually("more erased messages") {
                let found = try history(conversation, by: alice).count(where: isErased)
                return found > erased ? found : nil
            }
            gateway.endParleyd(SIGKILL)
            try gateway.startParleyd()
            kills += 1
        }
        #expect(kills > 1)
        let after = try eventually("the end of the erasure") {
            let found = try history(conversation, by: alice)
            return found.count(where: isErased) >= ofBob ? found : nil
        }
        // Whoever leaves is named by a message of the gateway's own, behind the others.
        let left = Array(after.prefix(before.count))
        #expect(left.map { $0["id"] } == before.map { $0["id"] })
        #expect(after.map { $0["seq"].int } == Array(1...after.count))
        for (old, new) in zip(before, left) {
            #expect(old["sender_id"].text == bob.user ? isErased(new) : old == new)
        }
        #expect(try console.accepted("admin/erase-user", user)["changed"] == false)
    }
}
