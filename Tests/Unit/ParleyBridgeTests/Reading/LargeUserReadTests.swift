import TestSupport
import ParleyProtocol
import TestNames
import Testing

@testable import ParleyBridge
@testable import ParleyStore

/// What each read costs a user of the largest size that the limits allow, in steps of SQLite's machine, of all
/// statements that it runs, with statistics absent and present. Times are the machine's; steps are not.
@Suite("Reads of the largest users", .serialized)
struct LargeUserReadTests {
    /// One question of a user's, and how many steps its answer takes at most.
    private struct Case {
        let type: any Query.Type
        let json: String
        let most: Int

        init(_ type: any Query.Type, _ json: String = "{}", most: Int) {
            self.type = type
            self.json = json
            self.most = most
        }
    }

    /// Of what is found by its key.
    private static let few = 5_000
    /// Of a page, whose rows are looked at one by one.
    private static let page = 50_000
    /// Of what goes once through all conversations of a user: 5,500 of them.
    private static let once = 5_500 * 60

    /// What they do not have. It is looked for all the same.
    private static let absent: [any Query.Type] = [
        GetAccountBackup.self, GetBlob.self, GetLeaderboard.self, GetLink.self, PreviewInvite.self,
    ]

    private let test: TestWriter

    init() throws {
        test = try TestWriter()
        for sql in LargeUserRows.statements { try test.execute(sql) }
        try test.execute("UPDATE members SET role = 'admin' WHERE user = 'big' AND conversation = 1")
        try test.store.write { transaction in
            for user in ["big", "u1503"] as [UserID] {
                try transaction.devices.put(device(user, "phone"), tokenID: .random(), now: at(0), expiresAt: at(1000))
            }
        }
    }

    /// The id in the first row of a query, as a text.
    private func id(_ query: String) throws -> String {
        let digits = Array(try #require(try test.text("SELECT lower(hex((\(query))))")))
        let parts = [digits[0..<8], digits[8..<12], digits[12..<16], digits[16..<20], digits[20..<32]]
        return parts.map { String($0) }.joined(separator: "-")
    }

    private func cases() throws -> [Case] {
        let log = #""conversation_id":"\#(try id("SELECT id FROM conversations WHERE key = 2"))""#
        let first = #"{"conversation_id":"\#(try id("SELECT id FROM conversations WHERE key = 1"))"}"#
        let challenge = #"{"id":"\#(try id("SELECT id FROM challenges WHERE key = 7"))"}"#
        let group = #""group_id":"\#(try id("SELECT id FROM groups ORDER BY key LIMIT 1"))""#
        let (friend, stranger) = (#"{"user_id":"u1503"}"#, #"{"user_id":"large"}"#)
        return [
            Case(GetHistory.self, "{\(log)}", most: Self.page),
            Case(GetHistory.self, #"{\#(log),"before":2500,"limit":100}"#, most: Self.page),
            Case(SyncRequest.self, #"{"cursors":{}}"#, most: Self.once),
            Case(GetConversation.self, "{\(log)}", most: Self.few),
            Case(GetBlob.self, #"{"id":"\#(CommandExample.id(11))"}"#, most: Self.few),
            Case(ListConversations.self, #"{"limit":100}"#, most: Self.once),
            Case(ListConversations.self, #"{"archived":true}"#, most: Self.once),
            // None of their requests has a message here, so that all are gone through for a page.
            Case(ListRequests.self, #"{"limit":100}"#, most: Self.once),
            Case(GetKeys.self, #"{"user_id":"big"}"#, most: Self.few), Case(GetKeys.self, friend, most: Self.once),
            Case(GetKeys.self, stranger, most: 2 * Self.once),
            Case(GetAccountBackup.self, most: Self.few),
            Case(GetLink.self, #"{"device_id":"laptop"}"#, most: Self.few),
            Case(ListDevices.self, most: Self.few),
            Case(GetProfile.self, most: Self.page), Case(GetProfile.self, friend, most: Self.once),
            Case(GetProfile.self, stranger, most: 2 * Self.once),
            Case(ListFollowers.self, #"{"limit":100}"#, most: Self.page),
            Case(ListFollowers.self, #"{"user_id":"u1503","limit":100}"#, most: Self.page),
            Case(ListFollowing.self, #"{"limit":100}"#, most: Self.page),
            Case(ListBlocked.self, #"{"limit":100}"#, most: Self.page),
            Case(CanMessage.self, friend, most: Self.few), Case(CanMessage.self, stranger, most: 2 * Self.once),
            Case(GetGroup.self, "{\(group)}", most: Self.few), Case(ListGroups.self, most: Self.once),
            Case(ListInvites.self, #"{\#(group),"limit":100}"#, most: Self.page),
            Case(PreviewInvite.self, #"{"token":"\#(CommandExample.token)"}"#, most: Self.few),
            Case(GetLeaderboard.self, #"{\#(group),"type":"streak"}"#, most: Self.few),
            Case(GetChallenge.self, challenge, most: Self.few),
            Case(ListChallenges.self, #"{"limit":100}"#, most: Self.page),
            Case(ListChallenges.self, first, most: Self.page),
            Case(ListActivity.self, #"{"limit":100}"#, most: Self.page),
            Case(GetSummary.self, #"{"user_id":"big"}"#, most: Self.page),
            Case(ListNotifications.self, #"{"limit":100}"#, most: Self.page),
            Case(GetAccount.self, most: Self.few), Case(GetGatewayInfo.self, most: Self.few),
        ]
    }

    @Test("every read that is not an operator's is asked")
    func everyReadIsAsked() throws {
        let queries = OperationTable.entries.compactMap { entry -> String? in
            switch entry {
            case .command: nil
            case .query(let type): type.askers == .everyone ? "\(type.operation)" : nil
            }
        }
        #expect(Set(try cases().map { "\($0.type.operation)" }) == Set(queries))
    }

    @Test("no read goes through more than the user's own rows, once, or a page of them", arguments: [false, true])
    func bounded(hasStatistics: Bool) throws {
        if hasStatistics { try test.execute("ANALYZE") }
        // What statistics say is read when a connection is opened.
        let store = try Store(path: test.directory.path + "/parley.db", migrations: .shipped)
        let reader = try test.reader(of: store)
        for one in try cases() {
            let question = try request(one.type, one.json, from: device("big", "phone"))
            _ = try store.read { $0.drainSteps() }
            let reply = try #require(try reader.answer(question, now: at(0)).published.first)
            let steps = try store.read { $0.drainSteps() }
            let isAnswered = reply.code == nil || Self.absent.contains { $0 == one.type }
            #expect(isAnswered, "\(one.type.operation) \(one.json): \(reply.code ?? "")")
            #expect(steps < one.most, "\(one.type.operation) \(one.json): \(steps) steps")
        }
    }
}
