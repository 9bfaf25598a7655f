import GRDB

/// The one transaction in which a batch writes: what can be written by capability, each in the folder of that name. Reads
/// through `facts` see what the batch has written so far.
package struct WriteTransaction {
    let database: Database

    package var facts: Snapshot { Snapshot(database: database) }

    package var accounts: AccountWrites { AccountWrites(database: database) }
    package var links: LinkWrites { LinkWrites(database: database) }
    package var devices: DeviceWrites { DeviceWrites(database: database) }
    package var tokens: TokenWrites { TokenWrites(database: database) }
    package var keyChanges: KeyChangeWrites { KeyChangeWrites(database: database) }
    package var users: UserWrites { UserWrites(database: database) }
    package var presence: PresenceWrites { PresenceWrites(database: database) }

    package var contacts: ContactWrites { ContactWrites(database: database) }
    package var reports: ReportWrites { ReportWrites(database: database) }

    package var conversations: ConversationWrites { ConversationWrites(database: database) }
    package var members: MemberWrites { MemberWrites(database: database) }
    package var info: InfoWrites { InfoWrites(database: database) }
    package var nameChanges: NameChangeWrites { NameChangeWrites(database: database) }
    package var records: RecordWrites { RecordWrites(database: database) }
    package var receipts: ReceiptWrites { ReceiptWrites(database: database) }

    package var outbox: OutboxWrites { OutboxWrites(database: database) }
    package var storedBytes: StoredBytesWrites { StoredBytesWrites(database: database) }
    package var clock: ClockWrites { ClockWrites(database: database) }
    package var continuity: ContinuityWrites { ContinuityWrites(database: database) }

    /// Reads what the transaction has written so far, where nothing may be refused any more.
    package func read<Result>(_ body: (Snapshot) throws -> Result) throws(StoreError) -> Result {
        do { return try body(facts) } catch { throw StoreError(error) }
    }
}
