import ParleyProtocol
import ParleyRules
import ParleyStore

extension BackUpAccount: CommandHandler {
    enum Decision {
        /// An identical backup: it changes nothing and costs nothing.
        case repeated(AccountBackup)
        /// It replaces the previous one.
        case keep(AccountBackup)
    }

    func decide(in context: DecisionContext) throws -> Decision {
        if let kept = try context.facts.accounts.backup(of: context.sender.user), kept.blob == blob {
            return .repeated(kept)
        }
        try context.charge(.backups)
        return .keep(AccountBackup(blob: blob, updatedAt: context.now))
    }

    func apply(_ decision: Decision, in context: ApplyContext) throws(StoreError) {
        let updatedAt: Timestamp
        switch decision {
        case .repeated(let kept): updatedAt = kept.updatedAt
        case .keep(let backup):
            try context.transaction.accounts.setBackup(backup, of: context.sender.user)
            updatedAt = backup.updatedAt
        }
        context.accept { writer in
            writer.object { $0.member("updated_at", updatedAt) }
        }
    }
}

extension GetAccountBackup: QueryHandler {
    func answer(in context: QueryContext) throws -> WrittenAnswer {
        let user = context.caller.user
        try context.charge(.backups)
        guard let backup = try context.snapshot.accounts.backup(of: user) else {
            throw Rejection(.notFound, "There is no backup of this user's account key.")
        }
        return backup.write
    }
}
