import ParleyProtocol
import TestNames
import Testing

@testable import ParleyBridge

/// A read sees every write that its device sent before it (protocol §4), also what is recomputed from it.
@Suite("What a write changes is read at once")
struct ReadYourWritesTests {
    private static func operations(areCommands: Bool) -> Set<String> {
        Set(
            OperationTable.entries.compactMap { entry in
                switch entry {
                case .command(let type): areCommands ? "\(type.operation)" : nil
                case .query(let type): areCommands ? nil : "\(type.operation)"
                }
            })
    }

    @Test("every write has its reads in the table, or is shown by nothing, and every read is asked")
    func everyOperationIsHere() throws {
        let (shown, hidden) = (Set(ShownBy.reads.keys), ShownBy.nothing)
        #expect(shown.isDisjoint(with: hidden))
        #expect(shown.union(hidden) == Self.operations(areCommands: true))
        #expect(Set(try WriteCase.all().map(\.operation)).isSuperset(of: shown))
        #expect(Set(ReadCase.all.map(\.operation)) == Self.operations(areCommands: false))
        #expect(shown.union(try WriteCase.all().map(\.name)).isSuperset(of: ShownBy.more.keys))
    }

    @Test(
        "a write is seen by its reads when it is acknowledged, and nothing done later changes what they say",
        arguments: try WriteCase.all())
    func readsSeeWrites(_ write: WriteCase) throws {
        let world = try write.world()
        let before = try replies(in: world)
        #expect(try write.carryOut(in: world).code == nil)
        let after = try replies(in: world)
        let changed = Set(ReadCase.all.filter { before[$0.name] != after[$0.name] }.map(\.operation))
        let expected = ShownBy.more[write.name] ?? ShownBy.reads[write.operation] ?? []
        #expect(changed.sorted() == expected.sorted())
        for seconds in 1...3 { try world.doDueWork(now: at(.seconds(seconds))) }
        let later = try replies(in: world)
        let background = ShownBy.later[write.operation] ?? []
        for read in ReadCase.all where after[read.name] != later[read.name] && !background.contains(read.operation) {
            Issue.record("\(read.name) says something else later: \(after[read.name] ?? "") \(later[read.name] ?? "")")
        }
    }

    /// What all reads are answered with, all at the same time.
    private func replies(in world: SocialWorld) throws -> [String: String] {
        try ReadCase.all.reduce(into: [:]) { replies, read in
            replies[read.name] = String(decoding: try read.reply(in: world), as: UTF8.self)
        }
    }
}

/// One question.
struct ReadCase: Sendable {
    private let type: any Query.Type
    private let device: DeviceAddress
    private let json: String

    private init(_ type: any Query.Type, _ json: String = "{}", by user: UserID = "alice", _ name: DeviceID = "phone") {
        self.type = type
        self.json = json
        device = DeviceAddress(user: user, device: name)
    }

    var operation: String { "\(type.operation)" }
    var name: String { "\(operation) \(json) by \(device)" }

    func reply(in world: SocialWorld) throws -> [UInt8] {
        try #require(
            try world.reader.answer(try request(type, json, from: device), now: at(10)).published.first
        ).payload
    }

    static let all: [ReadCase] =
        [
            ReadCase(GetAccount.self), ReadCase(GetAccountProviders.self, by: "web", "door"),
            ReadCase(GetHistory.self, named), ReadCase(GetHistory.self, named, by: "bob"),
            ReadCase(SyncRequest.self, #"{"cursors":{}}"#), ReadCase(SyncRequest.self, #"{"cursors":{}}"#, by: "bob"),
            ReadCase(GetBlob.self, #"{"id":"\#(CommandExample.id(11))"}"#),
            ReadCase(GetBlob.self, #"{"id":"\#(CommandExample.id(12))"}"#),
            ReadCase(GetConversation.self, named), ReadCase(ListConversations.self),
            ReadCase(ListConversations.self, by: "bob"), ReadCase(ListRequests.self, by: "erin"),
            ReadCase(GetKeys.self, #"{"user_id":"alice"}"#), ReadCase(GetAccountBackup.self),
            ReadCase(GetLink.self, #"{"device_id":"laptop"}"#), ReadCase(ListDevices.self),
            ReadCase(GetProfile.self), ReadCase(GetProfile.self, by: "bob"),
            ReadCase(GetProfile.self, #"{"user_id":"alice"}"#, by: "bob"), ReadCase(ListFollowers.self, by: "bob"),
            ReadCase(ListFollowers.self, by: "carol"), ReadCase(ListFollowing.self), ReadCase(ListBlocked.self),
            ReadCase(CanMessage.self, #"{"user_id":"bob"}"#),
            ReadCase(CanMessage.self, #"{"user_id":"erin"}"#, by: "dave"),
            ReadCase(GetGroup.self, ofGroup), ReadCase(ListGroups.self), ReadCase(ListGroups.self, by: "dave"),
            ReadCase(ListInvites.self, ofGroup),
            ReadCase(PreviewInvite.self, #"{"token":"\#(CommandExample.token)"}"#, by: "dave"),
        ]
        + ["check-ins", "streak"].flatMap { type in
            ["alice", "bob"].map { ReadCase(GetLeaderboard.self, #"{\#(group),"type":"\#(type)"}"#, by: $0) }
        }
        + WriteCase.challenges.map { ReadCase(GetChallenge.self, #"{"id":"\#($0.0)"}"#) }
        + [
            ReadCase(GetChallenge.self, #"{"id":"\#(ChallengeID(UUIDValue(high: 4, low: 1)))"}"#),
            ReadCase(ListChallenges.self), ReadCase(ListChallenges.self, named, by: "bob"),
            ReadCase(ListActivity.self), ReadCase(ListActivity.self, by: "bob"),
            ReadCase(GetSummary.self, #"{"user_id":"alice"}"#), ReadCase(GetSummary.self, #"{"user_id":"bob"}"#),
            ReadCase(ListNotifications.self), ReadCase(ListNotifications.self, by: "bob"),
            ReadCase(ListUsers.self, by: "operator", "console"),
            ReadCase(GetUser.self, #"{"user_id":"dave"}"#, by: "operator", "console"),
            ReadCase(GetRetention.self, named, by: "operator", "console"),
            ReadCase(ExportUser.self, #"{"user_id":"dave"}"#, by: "operator", "console"),
            ReadCase(ExplainPermission.self, #"{"from":"alice","to":"bob"}"#, by: "operator", "console"),
            ReadCase(ListReports.self, by: "operator", "console"),
            ReadCase(TraceMessage.self, #"{"id":"\#(CommandExample.first)"}"#, by: "operator", "console"),
            ReadCase(
                ExplainPush.self, #"{"message_id":"\#(CommandExample.first)","user_id":"bob"}"#, by: "operator",
                "console"),
            ReadCase(GetOperatingStatus.self, by: "operator", "console"), ReadCase(GetGatewayInfo.self),
        ]

    private static let named = #"{"conversation_id":"\#(CommandExample.group)"}"#
    private static let group = #""group_id":"\#(CommandExample.trainees)""#
    private static let ofGroup = "{\(group)}"
}
