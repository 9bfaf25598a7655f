import ParleyCrypto
import ParleyProtocol
import Sodium

extension MessagingClient {
    /// The user's account key and profile.
    public nonisolated var account: Account { Account(client: self) }

    /// The user's account key and profile: ``MessagingClient/account``. A backup that only the recovery key opens lets
    /// the account key outlive the user's devices.
    public struct Account: Sendable {
        let client: MessagingClient

        /// Whether this device holds the account key, and so can link other devices.
        public var isLinked: Bool {
            get async { await client.perform { $0.keyring.isLinked } }
        }

        /// Seals the account key with a new recovery key and stores it at the gateway, in place of an older backup.
        ///
        /// - Returns: the recovery key, to be shown once and not stored.
        public func backUp() async throws(ClientError) -> RecoveryKey {
            try await client.perform { context throws(ClientError) in
                guard let account = context.keyring.own.status.secret else { throw .account(.notLinked) }
                let recovery = try withKeys { try RecoveryKey.generate() }
                let blob = try withKeys { try SealedAccount.seal(account, of: context.device.user, with: recovery) }
                try await context.gateway.ask(BackUpAccount(blob: blob))
                return recovery
            }
        }

        /// Opens the account key from its backup and publishes this device certified by it. Contacts see no change.
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

        /// Replaces an account key that is lost with all devices that held it. The user's other devices must be linked
        /// again, and contacts must accept the new account key before they send anything.
        ///
        /// - Throws: ``ClientError/keys(_:)`` if no key could be made; another error if the gateway has not accepted
        ///   it. The old account key is given up in either case.
        public func reset() async throws(ClientError) {
            try await client.perform { context throws(ClientError) in try await context.keyExchange.resetAccount() }
        }

        /// The user's own profile, private settings included.
        public func profile() async throws(ClientError) -> ShownProfile {
            try await client.ask(GetProfile(user: nil))
        }

        @discardableResult
        public func changeProfile(_ change: ProfileChange) async throws(ClientError) -> ShownProfile {
            try await client.ask(change)
        }
    }
}

extension Keyring {
    var isLinked: Bool { own.status.secret != nil }
}
