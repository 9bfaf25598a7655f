import TestSupport
import ParleyDeviceStore
import ParleyProtocol
import Testing

@testable import ParleyClient

@Suite("What an earlier version has believed of a conversation")
struct KeptFaultTests {
    private let position: TemporaryDirectory
    private let directory: DeviceDirectory
    private let alice = UserID(validated: "alice")
    private let bob = UserID(validated: "bob")

    init() throws {
        position = try TemporaryDirectory()
        directory = position.directory(of: device("alice/phone"))
    }

    private func kept(_ id: ConversationID, _ users: [UserID]) -> ConversationState {
        var entry = FollowedConversation(id)
        entry.object = .sample(id, .direct, of: users)
        return entry.kept(own: alice)
    }

    @Test("is believed no more where it cannot be so, and will be told once there is a connection")
    func third() async throws {
        let carol = UserID(validated: "carol")
        let (good, bad) = (
            try #require(ConversationID.direct(alice, bob)), try #require(ConversationID.direct(alice, carol))
        )
        let configuration = ClientConfiguration.offline(in: directory)
        try configuration.write { transaction in
            try transaction.save(kept(good, [alice, bob]))
            try transaction.save(kept(bad, [alice, carol, UserID(validated: "mallory")]))
        }
        try await MessagingClient.open(configuration) { client in
            #expect(await client.conversations.all().map(\.id) == [good])
            #expect(await client.followed(bad)?.members.isEmpty == true)
            #expect(
                await client.removeLoadedFaults()
                    == [.directMembers(bad, [alice, carol, UserID(validated: "mallory")])])
        }
    }
}
