import GRDB

/// One consistent state of the database: its queries by capability, each in the folder of that name.
package struct Snapshot {
    let database: Database

    package var accounts: AccountQueries { AccountQueries(database: database) }
    package var links: LinkQueries { LinkQueries(database: database) }
    package var devices: DeviceQueries { DeviceQueries(database: database) }
    package var tokens: TokenQueries { TokenQueries(database: database) }
    package var keyChanges: KeyChangeQueries { KeyChangeQueries(database: database) }
    package var users: UserQueries { UserQueries(database: database) }
    package var presence: PresenceQueries { PresenceQueries(database: database) }

    package var contacts: ContactQueries { ContactQueries(database: database) }
    package var people: PeopleQueries { PeopleQueries(database: database) }
    package var requests: RequestQueries { RequestQueries(database: database) }
    package var audiences: AudienceQueries { AudienceQueries(database: database) }
    package var reports: ReportQueries { ReportQueries(database: database) }

    package var conversations: ConversationQueries { ConversationQueries(database: database) }
    package var members: MemberQueries { MemberQueries(database: database) }
    package var listings: ListingQueries { ListingQueries(database: database) }
    package var unread: UnreadQueries { UnreadQueries(database: database) }
    package var info: InfoQueries { InfoQueries(database: database) }
    package var nameChanges: NameChangeQueries { NameChangeQueries(database: database) }
    package var records: RecordQueries { RecordQueries(database: database) }
    package var receipts: ReceiptQueries { ReceiptQueries(database: database) }
    package var sync: SyncQueries { SyncQueries(database: database) }

    package var outbox: OutboxQueries { OutboxQueries(database: database) }
    package var storedBytes: StoredBytesQueries { StoredBytesQueries(database: database) }
    package var clock: ClockQueries { ClockQueries(database: database) }
    package var continuity: ContinuityQueries { ContinuityQueries(database: database) }
}
