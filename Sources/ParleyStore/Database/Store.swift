import ParleyProtocol

/// The one owner of the gateway's database: one connection that writes, a few that read beside it on snapshots.
package final class Store: Sendable {
    private let engine: any StoreEngine

    /// Connections that read at the same time.
    package static let readers = 2

    package init(_ engine: any StoreEngine) { self.engine = engine }

    /// Opens a database file, making or migrating it as needed.
    ///
    /// - Throws: `StoreError.newerSchema` for a file of a later version, which is left untouched, as is one that is
    ///   `.unusable`.
    package convenience init(path: String) throws(StoreError) {
        try self.init(path: path, migrations: .shipped)
    }

    /// - Parameter trace: called with each statement that a connection runs, without its arguments; for tests.
    convenience init(
        path: String, migrations: Migrations, trace: (@Sendable (_ sql: String) -> Void)? = nil
    ) throws(StoreError) {
        self.init(try SQLiteFile(path: path, migrations: migrations, trace: trace))
    }

    /// The gateways that share the database; `nil` where there can be only one.
    package var cells: (any Cells)? { engine.cells }

    /// The tables of pushes in the same database; `nil` where pushes have a file of their own.
    var pushes: (any SharedPushes)? { engine.pushes }

    /// One transaction: all of `body`, committed and synced when this returns, or nothing of it.
    ///
    /// Called by the writer's thread alone.
    ///
    /// - Parameter isolation: from neighbours, where there are some.
    package func write<Result>(
        isolation: Isolation = .serializable, _ body: (WriteTransaction) throws -> Result
    ) throws(StoreError) -> Result {
        try StoreError.translating { try engine.write(isolation) { try body(WriteTransaction(database: $0)) } }
    }

    /// Reads one state of the database, the last committed before this was called or a later one.
    package func read<Result>(_ body: (Snapshot) throws -> Result) throws(StoreError) -> Result {
        try StoreError.translating { try engine.read { try body(Snapshot(database: $0)) } }
    }

    /// The same, also on a standby that has all of that: for what devices ask.
    ///
    /// - Parameters:
    ///   - report: which server it was that has answered.
    ///   - body: may be begun and left, and run once more on another server.
    package func readAnywhere<Result>(
        _ report: (ReadServer) -> Void, _ body: (Snapshot) throws -> Result
    ) throws(StoreError) -> Result {
        try StoreError.translating { try engine.readAnywhere(report) { try body(Snapshot(database: $0)) } }
    }

    /// Ends the connections; the store cannot be used afterwards. Letting go of it does the same.
    package func close() throws(StoreError) { try StoreError.translating { try engine.close() } }

    /// See `StoreEngine.checkpoint`.
    package func checkpoint() throws(StoreError) { try StoreError.translating { try engine.checkpoint() } }

    /// The same, at once or not at all.
    package func checkpointIfFree() throws(StoreError) {
        try StoreError.translating { try engine.checkpointIfFree() }
    }
}

extension StoreEngine {
    package func checkpointIfFree() throws { try checkpoint() }
}

/// Where a database is kept, and how transactions are run on it. Its errors become `StoreError` in ``Store``.
package protocol StoreEngine: Sendable {
    /// One transaction: all of `body`, committed and durable when this returns, or nothing of it.
    func write<Result>(_ isolation: Isolation, _ body: (Database) throws -> Result) throws -> Result

    /// Reads one state of the database, the last committed before this was called or a later one.
    func read<Result>(_ body: (Database) throws -> Result) throws -> Result

    /// The same, also on a standby that has all of that.
    ///
    /// - Parameter body: may be begun and left, and run once more.
    func readAnywhere<Result>(
        _ report: (ReadServer) -> Void, _ body: (Database) throws -> Result
    ) throws -> Result

    /// Sees to it that nothing is left to do for the next start, and that nothing that was removed before is left
    /// behind.
    ///
    /// - Throws: `.inputOutput` also when a reader took longer than a moment; trying again helps.
    func checkpoint() throws

    /// The same; of a reader that holds an old state it is found out without waiting for it.
    func checkpointIfFree() throws

    func close() throws

    /// The gateways that share the database; `nil` where there can be only one.
    var cells: (any Cells)? { get }

    /// The tables of pushes, where they are in this database.
    var pushes: (any SharedPushes)? { get }
}

/// How a transaction is kept apart from those of neighbours. A database file has one writer, which needs nothing of it.
package enum Isolation: Sendable {
    /// It locks the conversations that it reads, and then reads what it knows of them: for the frequent commands, which
    /// change nothing but by way of a conversation.
    case byConversation
    /// As if it were alone; it fails with `.conflict` where that cannot be.
    case serializable
    /// The same, while no neighbour writes: for what they were in the way of again and again. Whoever writes to one
    /// conversation without a pause would be so for ever.
    case alone
}

/// One consistent state of the database: its queries by capability, each in the folder of that name.
package struct Snapshot {
    let database: Database

    package var accounts: AccountQueries { AccountQueries(database: database) }
    package var identities: IdentityQueries { IdentityQueries(database: database) }
    package var passwords: PasswordQueries { PasswordQueries(database: database) }
    package var accountCodes: AccountCodeQueries { AccountCodeQueries(database: database) }
    package var accountRequests: AccountRequestQueries { AccountRequestQueries(database: database) }
    package var accountRemovals: AccountRemovalQueries { AccountRemovalQueries(database: database) }
    package var mails: MailQueries { MailQueries(database: database) }
    package var links: LinkQueries { LinkQueries(database: database) }
    package var devices: DeviceQueries { DeviceQueries(database: database) }
    package var tokens: TokenQueries { TokenQueries(database: database) }
    package var keyChanges: KeyChangeQueries { KeyChangeQueries(database: database) }
    package var users: UserQueries { UserQueries(database: database) }
    package var userDetails: UserDetailQueries { UserDetailQueries(database: database) }
    package var userExport: UserExportQueries { UserExportQueries(database: database) }
    package var erasures: ErasureQueries { ErasureQueries(database: database) }
    package var presence: PresenceQueries { PresenceQueries(database: database) }

    package var contacts: ContactQueries { ContactQueries(database: database) }
    package var people: PeopleQueries { PeopleQueries(database: database) }
    package var requests: RequestQueries { RequestQueries(database: database) }
    package var audiences: AudienceQueries { AudienceQueries(database: database) }
    package var reports: ReportQueries { ReportQueries(database: database) }
    package var activities: ActivityQueries { ActivityQueries(database: database) }
    package var summaries: SummaryQueries { SummaryQueries(database: database) }
    package var notifications: NotificationQueries { NotificationQueries(database: database) }
    package var pushRegistrations: PushRegistrationQueries { PushRegistrationQueries(database: database) }
    package var pushEvents: PushEventQueries { PushEventQueries(database: database) }
    package var pushLink: PushLinkQueries { PushLinkQueries(database: database) }
    package var tracedRecords: TracedRecordQueries { TracedRecordQueries(database: database) }
    package var workouts: WorkoutQueries { WorkoutQueries(database: database) }
    package var boards: BoardQueries { BoardQueries(database: database) }
    package var boardWeeks: BoardWeekQueries { BoardWeekQueries(database: database) }

    package var conversations: ConversationQueries { ConversationQueries(database: database) }
    package var members: MemberQueries { MemberQueries(database: database) }
    package var retention: RetentionQueries { RetentionQueries(database: database) }
    package var listings: ListingQueries { ListingQueries(database: database) }
    package var unread: UnreadQueries { UnreadQueries(database: database) }
    package var groups: GroupQueries { GroupQueries(database: database) }
    package var invites: InviteQueries { InviteQueries(database: database) }
    package var info: InfoQueries { InfoQueries(database: database) }
    package var nameChanges: NameChangeQueries { NameChangeQueries(database: database) }
    package var records: RecordQueries { RecordQueries(database: database) }
    package var blobs: BlobQueries { BlobQueries(database: database) }
    package var receipts: ReceiptQueries { ReceiptQueries(database: database) }
    package var sync: SyncQueries { SyncQueries(database: database) }

    package var metrics: MetricQueries { MetricQueries(database: database) }
    package var challenges: ChallengeQueries { ChallengeQueries(database: database) }

    package var outbox: OutboxQueries { OutboxQueries(database: database) }
    package var limitUses: LimitUseQueries { LimitUseQueries(database: database) }
    package var storedBytes: StoredBytesQueries { StoredBytesQueries(database: database) }
    package var clock: ClockQueries { ClockQueries(database: database) }
    package var continuity: ContinuityQueries { ContinuityQueries(database: database) }
}

/// The one transaction of a batch: its writes by capability, each in the folder of that name. Reads through `facts` see
/// what it has written so far.
package struct WriteTransaction {
    let database: Database

    package var facts: Snapshot { Snapshot(database: database) }

    package var accounts: AccountWrites { AccountWrites(database: database) }
    package var identities: IdentityWrites { IdentityWrites(database: database) }
    package var passwords: PasswordWrites { PasswordWrites(database: database) }
    package var accountCodes: AccountCodeWrites { AccountCodeWrites(database: database) }
    package var accountRequests: AccountRequestWrites { AccountRequestWrites(database: database) }
    package var erasures: ErasureWrites { ErasureWrites(database: database) }
    package var accountRemovals: AccountRemovalWrites { AccountRemovalWrites(database: database) }
    package var mails: MailWrites { MailWrites(database: database) }
    package var links: LinkWrites { LinkWrites(database: database) }
    package var devices: DeviceWrites { DeviceWrites(database: database) }
    package var tokens: TokenWrites { TokenWrites(database: database) }
    package var keyChanges: KeyChangeWrites { KeyChangeWrites(database: database) }
    package var users: UserWrites { UserWrites(database: database) }
    package var presence: PresenceWrites { PresenceWrites(database: database) }

    package var contacts: ContactWrites { ContactWrites(database: database) }
    package var reports: ReportWrites { ReportWrites(database: database) }
    package var activities: ActivityWrites { ActivityWrites(database: database) }
    package var notifications: NotificationWrites { NotificationWrites(database: database) }
    package var pushRegistrations: PushRegistrationWrites { PushRegistrationWrites(database: database) }
    package var pushEvents: PushEventWrites { PushEventWrites(database: database) }
    package var pushLink: PushLinkWrites { PushLinkWrites(database: database) }
    package var workouts: WorkoutWrites { WorkoutWrites(database: database) }
    package var boards: BoardWrites { BoardWrites(database: database) }
    package var boardWeeks: BoardWeekWrites { BoardWeekWrites(database: database) }

    package var conversations: ConversationWrites { ConversationWrites(database: database) }
    package var members: MemberWrites { MemberWrites(database: database) }
    package var retention: RetentionWrites { RetentionWrites(database: database) }
    package var groups: GroupWrites { GroupWrites(database: database) }
    package var invites: InviteWrites { InviteWrites(database: database) }
    package var nameChanges: NameChangeWrites { NameChangeWrites(database: database) }
    package var records: RecordWrites { RecordWrites(database: database) }
    package var blobs: BlobWrites { BlobWrites(database: database) }
    package var receipts: ReceiptWrites { ReceiptWrites(database: database) }

    package var metrics: MetricWrites { MetricWrites(database: database) }
    package var challenges: ChallengeWrites { ChallengeWrites(database: database) }

    package var outbox: OutboxWrites { OutboxWrites(database: database) }
    package var limitUses: LimitUseWrites { LimitUseWrites(database: database) }
    package var storedBytes: StoredBytesWrites { StoredBytesWrites(database: database) }
    package var clock: ClockWrites { ClockWrites(database: database) }
    package var continuity: ContinuityWrites { ContinuityWrites(database: database) }

    /// Reads what the transaction has written so far, when nothing may be refused.
    package func read<Result>(_ body: (Snapshot) throws -> Result) throws(StoreError) -> Result {
        try StoreError.translating { try body(facts) }
    }
}
