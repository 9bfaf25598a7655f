import ParleyCrypto
import ParleyProtocol
import Sodium

// The account key outlives the user's devices by a backup that only the recovery key opens.

extension MessagingClient {
    /// Seals the account key with a new recovery key, and has the gateway keep it in place of an older backup.
    ///
    /// - Returns: the recovery key, which is shown to the person once and is not kept.
    public func backUpAccount() async throws(ClientError) -> RecoveryKey {
        guard let account = context.keyring.own.standing.secret else { throw .account(.notLinked) }
        let (recovery, blob): (RecoveryKey, [UInt8])
        do throws(SodiumError) {
            recovery = try RecoveryKey.generate()
            blob = try SealedAccount.seal(account, of: device.user, with: recovery)
        } catch {
            throw .keys(error)
        }
        try await context.ask { (gateway) async throws(RequestError) in try await gateway.backUpAccount(blob) }
        return recovery
    }

    /// Takes the account key from its backup, certifies this device by it and publishes that. Contacts see no change.
    public func recoverAccount(with recovery: RecoveryKey) async throws(ClientError) {
        guard !isLinked else { throw .account(.alreadyLinked) }
        let backup: AccountBackup
        do throws(ClientError) {
            backup = try await context.ask { (gateway) async throws(RequestError) in try await gateway.accountBackup() }
        } catch {
            throw error.isNotFound ? .account(.noBackup) : error
        }
        let account: AccountSecret
        do throws(SodiumError) {
            account = try SealedAccount.open(backup.blob, of: device.user, with: recovery)
        } catch {
            throw error == .notAuthentic ? .account(.wrongRecoveryKey) : .keys(error)
        }
        try context.keyExchange.change(.adopting(account, nil))
        try await context.keyExchange.publish()
    }
}
