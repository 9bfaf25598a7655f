import ParleyProtocol
import ParleyRules
import ParleyStore

/// How often a user may have their account key's backup written and read, together: shared by the writer and the readers.
struct BackupLimit: Sendable {
    private let limiter: Monitor<RateLimiter<UserID>>

    init(_ settings: Settings) {
        let rate = Rate(burst: settings.accountBackupsPerHour, perHour: settings.accountBackupsPerHour)
        limiter = Monitor(RateLimiter(rate))
    }

    /// - Throws: `rate_limited`
    func charge(_ user: UserID, now: Timestamp) throws(Rejection) {
        guard let wait = limiter.withLock({ $0.take(user, now: now) }) else { return }
        throw Rejection(
            .rateLimited, "Too many backups of the account key; wait a little.", retryAfterMilliseconds: wait)
    }
}

extension Writer {
    /// `account/backup`. It takes the place of the one before; the same again changes nothing and costs nothing.
    func backUp(
        _ request: BackUpAccount, _ route: ReplyRoute, _ transaction: WriteTransaction, _ effects: inout Effects,
        now: Timestamp
    ) throws {
        let user = route.address.user
        var backup = AccountBackup(blob: request.blob, updatedAt: now)
        if let kept = try transaction.facts.accountBackup(of: user), kept.blob == request.blob {
            backup = kept
        } else {
            try backups.charge(user, now: now)
            try transaction.setAccountBackup(backup, of: user)
        }
        effects.outgoing.accept(route) { writer in
            writer.object { $0.member("updated_at", backup.updatedAt) }
        }
    }
}

extension Reader {
    /// `account/get-backup`
    func accountBackup(of user: UserID, _ snapshot: Snapshot, now: Timestamp) throws -> AccountBackup {
        try backups.charge(user, now: now)
        guard let backup = try snapshot.accountBackup(of: user) else {
            throw Rejection(.notFound, "There is no backup of this user's account key.")
        }
        return backup
    }
}

extension BackUpAccount: CommandHandler {
    func carryOut(in context: CommandContext, _ effects: inout Effects) throws {
        try context.writer.backUp(self, context.route, context.transaction, &effects, now: context.now)
    }
}

extension GetAccountBackup: QueryHandler {
    func answer(in context: QueryContext, _ outgoing: inout Outgoing) throws {
        let backup = try context.reader.accountBackup(of: context.caller.user, context.snapshot, now: context.now)
        outgoing.accept(context.route) { backup.write(to: &$0) }
    }
}
