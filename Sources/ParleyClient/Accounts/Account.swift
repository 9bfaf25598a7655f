import ParleyCrypto
import ParleyProtocol
import Sodium

extension MessagingClient {
    /// The user's own account: its key, which outlives their devices, and their profile.
    public nonisolated var account: Account { Account(client: self) }

    /// The user's own account: its key, which outlives their devices by a backup that only the recovery key opens, and
    /// their profile. ``MessagingClient/account``
    public struct Account: Sendable {
        let client: MessagingClient

        /// Whether this device has the account key, and can link others.
        public var isLinked: Bool {
            get async { await client.perform { $0.keyring.isLinked } }
        }

        /// Seals the account key with a new recovery key, and has the gateway keep it in place of an older backup.
        ///
        /// - Returns: the recovery key, which is shown to the person once and is not kept.
        public func backUp() async throws(ClientError) -> RecoveryKey {
            try await client.perform { context throws(ClientError) in
                guard let account = context.keyring.own.status.secret else { throw .account(.notLinked) }
                let (recovery, blob): (RecoveryKey, [UInt8])
                do throws(SodiumError) {
                    recovery = try RecoveryKey.generate()
                    blob = try SealedAccount.seal(account, of: context.device.user, with: recovery)
                } catch {
                    throw .keys(error)
                }
                try await context.gateway.ask(BackUpAccount(blob: blob))
                return recovery
            }
        }

        /// Opens the account key from its backup, certifies this device by it and publishes that. Contacts see no
        /// change.
        public func recover(with recovery: RecoveryKey) async throws(ClientError) {
            try await client.perform { context throws(ClientError) in
                guard !context.keyring.isLinked else { throw .account(.alreadyLinked) }
                let backup: AccountBackup
                do throws(ClientError) {
                    backup = try await context.gateway.ask(GetAccountBackup())
                } catch {
                    throw error.isNotFound ? .account(.noBackup) : error
                }
                let account: AccountSecret
                do throws(SodiumError) {
                    account = try SealedAccount.open(backup.blob, of: context.device.user, with: recovery)
                } catch {
                    throw error == .notAuthentic ? .account(.wrongRecoveryKey) : .keys(error)
                }
                try context.keyExchange.change(.adopting(account, nil))
                try await context.keyExchange.publish()
            }
        }

        /// Makes a new account key in the place of one that is lost with all devices that held it. The user's other
        /// devices are to be linked anew, and contacts see a changed account key: they send nothing before they have
        /// accepted it.
        ///
        /// - Throws: ``ClientError/keys(_:)`` if there is none; another if the gateway has not accepted it. The account
        ///   key that is replaced is given up in either case.
        public func reset() async throws(ClientError) {
            try await client.perform { context throws(ClientError) in try await context.keyExchange.resetAccount() }
        }

        /// The user's own profile, with the settings that nobody else sees.
        public func profile() async throws(ClientError) -> ShownProfile {
            try await client.ask(GetProfile(user: nil))
        }

        /// - Returns: the profile with the change made.
        @discardableResult
        public func changeProfile(_ change: ProfileChange) async throws(ClientError) -> ShownProfile {
            try await client.ask(change)
        }
    }
}

extension Keyring {
    /// Whether this device has the account key.
    var isLinked: Bool { own.status.secret != nil }
}
