import ParleyCrypto
import ParleyProtocol

/// Lies about the backup of somebody's account key: the device that asks for it is to take another account.
package enum BackupLie: String, LieFamily {
    case ofAnotherAccount, ofAnotherUser, older, damaged, truncated, tooLong, withheld

    package var sentence: String {
        switch self {
        case .ofAnotherAccount: "account/get-backup answers with mallory's account, sealed in the user's name"
        case .ofAnotherUser: "account/get-backup answers with mallory's own backup"
        case .older: "account/get-backup answers with the backup before the last"
        case .damaged: "account/get-backup answers with the backup but for one bit"
        case .truncated: "account/get-backup answers with half the backup"
        case .tooLong: "account/get-backup answers with more than a backup can be"
        case .withheld: "account/get-backup says that there is none"
        }
    }

    package var moments: [Lie.Moment] { [.betweenSends] }
}

extension World {
    mutating func backUp(_ backup: BackUpAccount, of user: UserID) -> Answer {
        let kept = AccountBackup(blob: backup.blob, updatedAt: tick())
        backups[user, default: []].append(kept)
        return .accepted { writer in writer.object { $0.member("updated_at", kept.updatedAt) } }
    }

    func backup(of user: UserID) throws(Rejection) -> Answer {
        guard let all = backups[user], let last = all.last else { throw .noBackup }
        var blob = last.blob
        for lie in BackupLie.allCases where tells(.backup(lie), about: user) {
            switch lie {
            case .ofAnotherAccount: blob = attackersBackup(of: user)
            case .ofAnotherUser: blob = attackersBackup(of: Attacker.user)
            case .older: blob = all[max(0, all.count - 2)].blob
            case .damaged: blob = blob.damaged
            case .truncated: blob = Array(blob.prefix(blob.count / 2))
            case .tooLong: blob += [UInt8](repeating: 0, count: BackUpAccount.lengths.upperBound)
            case .withheld: throw .noBackup
            }
        }
        let told = AccountBackup(blob: blob, updatedAt: last.updatedAt)
        return .accepted { told.write(to: &$0) }
    }

    /// The attacker does not know what the user has written down, and seals with a key of its own.
    private func attackersBackup(of user: UserID) -> [UInt8] {
        guard let recovery = try? RecoveryKey.generate(),
            let blob = try? SealedAccount.seal(attacker.account, of: user, with: recovery)
        else { return [] }
        return blob
    }
}

extension Rejection {
    fileprivate static let noBackup = Rejection(.notFound, "There is no backup.")
}
