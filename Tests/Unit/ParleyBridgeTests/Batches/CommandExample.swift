import ParleyProtocol
import ParleyRules
import TestNames
import Testing

@testable import ParleyBridge
@testable import ParleyStore

/// One command that changes something, and what was done before it.
struct CommandExample: Sendable, CustomTestStringConvertible {
    let name: String
    private let prepare: @Sendable (SocialWorld) throws -> Void
    private let make: @Sendable () throws -> IncomingCommand

    var testDescription: String { name }

    init(
        _ type: any Command.Type, after prepare: @escaping @Sendable (SocialWorld) throws -> Void = { _ in },
        _ make: @escaping @Sendable () throws -> IncomingCommand
    ) {
        name = "\(type.operation)"
        self.prepare = prepare
        self.make = make
    }

    func command() throws -> IncomingCommand { try make() }

    /// People who know each other, a group of alice, bob and carol with two messages, and a direct conversation of
    /// alice and bob with one.
    func world() throws -> SocialWorld {
        let world = try SocialWorld {
            $0.firstMessageBurst = 3
            $0.openAccounts()
        }
        try world.test.addDoor()
        try world.test.store.write { transaction in
            for user in ["dave", "erin"] as [UserID] {
                try transaction.users.insert(user, role: .member, displayName: user.text, at: at(0))
                try transaction.devices.put(
                    device(user, "phone"), tokenID: CommandExample.uuid, now: at(0), expiresAt: at(1000))
            }
            // What is made at random elsewhere is the same in each world.
            try transaction.database.run("UPDATE devices SET token_id = zeroblob(16)")
        }
        _ = try world.test.conversation(["alice", "bob", "carol"], id: CommandExample.group)
        try world.test.execute("UPDATE members SET role = 'admin' WHERE user = 'alice'")
        try world.befriend("alice", "bob")
        try world.create(by: "alice", with: "bob")
        try world.test.execute("UPDATE conversations SET epoch = 'epoch'")
        try world.test.execute("UPDATE outbox SET payload = topic")
        let known = try [
            send(CommandExample.group, id: CommandExample.first), send(CommandExample.group, id: CommandExample.second),
            send(ConversationID.direct(["alice", "bob"]), id: CommandExample.third),
        ]
        for command in known { _ = try world.result(of: command) }
        try prepare(world)
        return world
    }

    static let group = ConversationID(UUIDValue(high: 1, low: 1))
    static let bystanders = ConversationID(UUIDValue(high: 1, low: 2))
    static let trainees = GroupID(UUIDValue(high: 1, low: 3))
    private static let ofGroup = #""group_id":"\#(trainees)""#
    private static let uuid = UUIDValue(high: 0, low: 0)
    static let first = MessageID(UUIDValue(high: 2, low: 1))
    private static let second = MessageID(UUIDValue(high: 2, low: 2))
    private static let third = MessageID(UUIDValue(high: 2, low: 3))

    static func id(_ low: UInt64) -> String { "\(MessageID(UUIDValue(high: 3, low: low)))" }
    private static let named = #""conversation_id":"\#(group)""#

    static func all() throws -> [CommandExample] {
        let operatorDevice = device("operator", "console")
        let keys = try TestKeys(3)
        let account = try TestAccount(1)
        return try accountExamples() + [
            CommandExample(SendMessage.self) { try send(group, id: MessageID(UUIDValue(high: 3, low: 1))) },
            CommandExample(SendMessage.self, after: { try $0.ask(CreateBlob.self, by: "alice", blob(10)) }) {
                try request(
                    SendMessage(
                        id: MessageID(UUIDValue(high: 3, low: 5)), conversation: group, type: .file, suite: .naclBox,
                        content: [UInt8](repeating: 7, count: 32), nonce: [UInt8](repeating: 9, count: 24),
                        blobs: [BlobID(UUIDValue(high: 3, low: 10))]),
                    from: device("alice", "phone"))
            },
            CommandExample(EditMessage.self) {
                try change(.edit, first, in: group, id: MessageID(UUIDValue(high: 3, low: 2)))
            },
            CommandExample(DeleteMessage.self) {
                try request(DeleteMessage.self, #"{"id":"\#(id(3))",\#(named),"message_id":"\#(first)"}"#)
            },
            CommandExample(ReactToMessage.self) {
                try change(.reaction, first, in: group, id: MessageID(UUIDValue(high: 3, low: 4)))
            },
            CommandExample(CreateBlob.self) { try request(CreateBlob.self, blob(12)) },
            CommandExample(DeleteBlob.self, after: { try $0.ask(CreateBlob.self, by: "alice", blob(11)) }) {
                try request(DeleteBlob.self, #"{"id":"\#(id(11))"}"#)
            },
            CommandExample(
                CollectBlobs.self,
                after: { world in
                    try world.ask(CreateBlob.self, by: "alice", blob(11))
                    try world.ask(DeleteBlob.self, by: "alice", #"{"id":"\#(id(11))"}"#)
                }
            ) { try request(CollectBlobs.self, #"{"removed":["\#(id(11))"]}"#, from: device("web", "door")) },
            CommandExample(MarkDelivered.self) {
                try request(
                    MarkDelivered.self, #"{\#(named),"message_id":"\#(first)"}"#, from: device("bob", "phone"))
            },
            CommandExample(MarkRead.self) {
                try request(MarkRead.self, #"{\#(named),"message_id":"\#(second)"}"#, from: device("bob", "phone"))
            },
            CommandExample(CreateConversation.self) {
                try request(CreateConversation.self, #"{"type":"direct","participant_ids":["dave"]}"#)
            },
            CommandExample(UpdateConversation.self) {
                try request(UpdateConversation.self, #"{\#(named),"name":"Runners","is_archived":true}"#)
            },
            CommandExample(AddMembers.self, after: { try $0.ask(ProfileChange.self, by: "dave", anyone) }) {
                try request(AddMembers.self, #"{\#(named),"user_ids":["dave"]}"#)
            },
            CommandExample(RemoveMember.self) { try request(RemoveMember.self, #"{\#(named),"user_id":"bob"}"#) },
            CommandExample(SetRole.self) {
                try request(SetRole.self, #"{\#(named),"user_id":"bob","role":"admin"}"#)
            },
            CommandExample(LeaveConversation.self) { try request(LeaveConversation.self, "{\(named)}") },
            CommandExample(AcceptRequest.self, after: { try $0.askToWrite(by: "dave", to: "erin") }) {
                try request(AcceptRequest.self, direct("dave", "erin"), from: device("erin", "phone"))
            },
            CommandExample(DeclineRequest.self, after: { try $0.askToWrite(by: "dave", to: "erin") }) {
                try request(DeclineRequest.self, direct("dave", "erin"), from: device("erin", "phone"))
            },
            CommandExample(PublishKeys.self) { try publish(keys, by: account, from: device("alice", "phone")) },
            CommandExample(BackUpAccount.self) {
                try request(BackUpAccount(blob: [UInt8](repeating: 1, count: 4096)), from: device("alice", "phone"))
            },
            CommandExample(LinkOffer.self) { try offer(keys, from: device("alice", "laptop")) },
            CommandExample(
                LinkApproval.self,
                after: { world in
                    let phone = device("alice", "phone")
                    _ = try world.result(of: try publish(TestKeys(5), by: account, from: phone))
                    _ = try world.result(of: try offer(keys, from: device("alice", "laptop")))
                }
            ) { try approve(keys, of: device("alice", "laptop"), by: account, from: device("alice", "phone")) },
            CommandExample(RevokeDevice.self) { try request(RevokeDevice.self, #"{"device_id":"laptop"}"#) },
            CommandExample(RenewDevice.self) { try request(RenewDevice.self, "{}") },
            CommandExample(RegisterPush.self, after: { try $0.ask(RegisterPush.self, by: "bob", webhook) }) {
                try request(RegisterPush.self, webhook)
            },
            CommandExample(UnregisterPush.self, after: { try $0.ask(RegisterPush.self, by: "alice", webhook) }) {
                try request(UnregisterPush.self, "{}")
            },
            CommandExample(TestPush.self, after: { try $0.ask(RegisterPush.self, by: "bob", webhook) }) {
                try request(TestPush.self, #"{"user_id":"bob"}"#, from: operatorDevice)
            },
            CommandExample(ProfileChange.self) {
                try request(
                    ProfileChange.self, #"{"display_name":"A","message_privacy":"anyone","presence":"nobody"}"#)
            },
            CommandExample(Follow.self) { try request(Follow.self, #"{"user_id":"carol"}"#) },
            CommandExample(Unfollow.self) { try request(Unfollow.self, #"{"user_id":"bob"}"#) },
            CommandExample(Block.self) { try request(Block.self, #"{"user_id":"bob"}"#) },
            CommandExample(Unblock.self, after: { try $0.ask(Block.self, by: "alice", of: "bob") }) {
                try request(Unblock.self, #"{"user_id":"bob"}"#)
            },
            CommandExample(CreateGroup.self) {
                try request(CreateGroup.self, #"{"id":"\#(id(6))","name":"Runners","time_zone":"Europe/Berlin"}"#)
            },
            CommandExample(UpdateGroup.self, after: makeGroup) {
                try request(UpdateGroup.self, #"{\#(ofGroup),"name":"Walkers"}"#)
            },
            CommandExample(DeleteGroup.self, after: makeGroup) { try request(DeleteGroup.self, "{\(ofGroup)}") },
            CommandExample(LeaveGroup.self, after: makeGroup) { try request(LeaveGroup.self, "{\(ofGroup)}") },
            CommandExample(RemoveGroupMember.self, after: makeGroup) {
                try request(RemoveGroupMember.self, #"{\#(ofGroup),"user_id":"bob"}"#)
            },
            CommandExample(SetGroupRole.self, after: makeGroup) {
                try request(SetGroupRole.self, #"{\#(ofGroup),"user_id":"bob","role":"admin"}"#)
            },
            CommandExample(PostActivity.self) { try request(PostActivity.self, goal) },
            CommandExample(ReactToActivity.self, after: { try $0.ask(PostActivity.self, by: "alice", goal) }) {
                try request(ReactToActivity.self, #"{"id":"\#(id(7))","emoji":"👏"}"#, from: bob)
            },
            CommandExample(
                UnreactToActivity.self,
                after: { world in
                    try world.ask(PostActivity.self, by: "alice", goal)
                    try world.ask(ReactToActivity.self, by: "bob", #"{"id":"\#(id(7))","emoji":"👏"}"#)
                }
            ) { try request(UnreactToActivity.self, #"{"id":"\#(id(7))"}"#, from: bob) },
            CommandExample(
                MarkNotificationsRead.self,
                after: { world in
                    _ = try world.result(
                        of: try change(
                            .reaction, first, in: group, id: MessageID(UUIDValue(high: 3, low: 6)), from: bob))
                }
            ) { try request(MarkNotificationsRead.self, #"{"all":true}"#) },
            CommandExample(ReportMetrics.self, after: { try $0.startChallenge(challenge, in: group) }) {
                try request(
                    ReportMetrics.self, #"{"date":"2026-01-15","time_zone":"UTC","steps":5,"version":1}"#)
            },
            CommandExample(CreateChallenge.self) {
                try request(createChallenge, from: device("alice", "phone"))
            },
            CommandExample(AcceptChallenge.self, after: { try $0.makeChallenge(challenge, in: group) }) {
                try request(AcceptChallenge(challenge: challenge), from: device("bob", "phone"))
            },
            CommandExample(DeclineChallenge.self, after: { try $0.makeChallenge(challenge, in: group) }) {
                try request(DeclineChallenge(challenge: challenge), from: device("bob", "phone"))
            },
            CommandExample(CancelChallenge.self, after: { try $0.makeChallenge(challenge, in: group) }) {
                try request(CancelChallenge(challenge: challenge), from: device("alice", "phone"))
            },
            CommandExample(CreateInvite.self, after: makeGroup) {
                try request(CreateInvite.self, #"{"id":"\#(id(7))",\#(ofGroup),"uses":2}"#)
            },
            CommandExample(RevokeInvite.self, after: invite) {
                try request(RevokeInvite.self, #"{"id":"\#(id(7))"}"#)
            },
            CommandExample(AcceptInvite.self, after: invite) {
                try request(AcceptInvite.self, #"{"token":"\#(token)"}"#, from: device("dave", "phone"))
            },
            CommandExample(LogWorkout.self, after: makeGroup) {
                try request(LogWorkout.self, log(7, "2026-01-15T08:00:00.000Z"))
            },
            CommandExample(
                DeleteWorkout.self,
                after: { world in
                    try makeGroup(world)
                    for (number, day) in [(7, 14), (8, 15), (9, 13)] as [(UInt64, Int)] {
                        try world.ask(LogWorkout.self, by: "alice", log(number, "2026-01-\(day)T08:00:00.000Z"))
                    }
                    try world.test.execute("UPDATE outbox SET payload = topic")
                }
            ) { try request(DeleteWorkout.self, #"{"id":"\#(id(7))"}"#) },
            CommandExample(CreateReport.self) {
                try request(CreateReport.self, #"{"id":"\#(id(5))","reason":"r","user_id":"bob"}"#)
            },
            CommandExample(AddUser.self) {
                try request(AddUser.self, #"{"user_id":"frank","display_name":"Frank"}"#, from: operatorDevice)
            },
            CommandExample(RenameUser.self) {
                try request(RenameUser.self, #"{"user_id":"bob","display_name":"Robert"}"#, from: operatorDevice)
            },
            CommandExample(DisableUser.self) {
                try request(DisableUser.self, #"{"user_id":"dave"}"#, from: operatorDevice)
            },
            CommandExample(
                EnableUser.self,
                after: { _ = try $0.result(of: request(DisableUser(user: "dave"), from: operatorDevice)) }
            ) { try request(EnableUser.self, #"{"user_id":"dave"}"#, from: operatorDevice) },
            CommandExample(RemoveUser.self) {
                try request(RemoveUser.self, #"{"user_id":"dave"}"#, from: operatorDevice)
            },
            CommandExample(EraseUser.self) {
                try request(EraseUser.self, #"{"user_id":"dave"}"#, from: operatorDevice)
            },
            CommandExample(SetRetention.self) {
                try request(SetRetention.self, #"{\#(named),"days":30}"#, from: operatorDevice)
            },
            CommandExample(RenewUserDevice.self) {
                try request(RenewUserDevice.self, #"{"user_id":"alice","device_id":"phone"}"#, from: operatorDevice)
            },
            CommandExample(AddDevice.self) {
                try request(
                    AddDevice.self, #"{"user_id":"alice","device_id":"watch","name":"Watch"}"#, from: operatorDevice)
            },
            CommandExample(RevokeUserDevice.self) {
                try request(
                    RevokeUserDevice.self, #"{"user_id":"alice","device_id":"laptop"}"#, from: operatorDevice)
            },
        ]
    }

    private static func blob(_ number: UInt64) -> String {
        #"{"id":"\#(id(number))",\#(named),"size":100,"digest":"\#(Base64.encode([UInt8](repeating: 6, count: 32)))"}"#
    }

    static let makeGroup: @Sendable (SocialWorld) throws -> Void = { world in
        try world.test.group(["alice", "bob", "carol"], id: trainees)
    }

    private static let goal = #"{"id":"\#(id(7))","type":"goal_reached","title":"5 km"}"#
    private static let bob = device("bob", "phone")
    private static let challenge = ChallengeID(UUIDValue(high: 4, low: 1))
    private static let createChallenge = CreateChallenge(
        id: challenge, conversation: group, challenged: "bob", type: .steps, target: 10, durationDays: 2)

    static let token = "AAAAAAAAAAAAAAAAAAAAAA"

    /// An invite with this token, for two.
    private static let invite: @Sendable (SocialWorld) throws -> Void = { world in
        try makeGroup(world)
        try world.test.store.write { transaction in
            let group = try #require(try transaction.facts.groups.group(trainees))
            let invite = try #require(InviteID(id(7)))
            try transaction.invites.insert(
                NewInvite(
                    id: invite, group: group, maker: "alice", seed: invite.value.bytes,
                    tokenDigest: try #require(InviteToken(token)).digest, createdAt: at(0),
                    expiresAt: at(.days(1)), uses: 2, digest: invite.value.bytes))
        }
    }

    static func log(_ number: UInt64, _ time: String) -> String {
        #"{"id":"\#(id(number))","completed_at":"\#(time)","time_zone":"Europe/Berlin","kind":"run"}"#
    }

    private static let webhook =
        #"{"provider":"webhook","endpoint":"https://example.com/hook","secret":"0123456789abcdef"}"#
    private static let anyone = #"{"message_privacy":"anyone"}"#
}

extension SocialWorld {
    /// Every row of every table but what is random, and what the writer has counted.
    func everything() throws -> [String: String] {
        let random = [
            "token_id", "epoch", "payload", "farewell", "id", "target", "previous_token_id", "last_seen", "seed",
            "token_digest", "notification", "salt", "hash",
        ]
        var rows: [String: String] = [:]
        for table in try FailingWrites.tables(of: test.store) {
            let names = try #require(
                try test.text("SELECT group_concat(name) FROM (SELECT name FROM pragma_table_info('\(table)'))"))
            let columns = names.split(separator: ",").filter { !random.contains(String($0)) }
            let list = columns.map { "quote(\"\($0)\")" }.joined(separator: " || ',' || ")
            rows[table] = try test.text(
                "SELECT group_concat(line, x'0a') FROM (SELECT \(list) AS line FROM \"\(table)\" ORDER BY 1)")
        }
        rows["counters"] = "\(test.counters.messages.current) \(test.counters.reports.current)"
        return rows
    }
}
