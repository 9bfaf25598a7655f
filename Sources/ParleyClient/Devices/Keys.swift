import ParleyCrypto
import ParleyProtocol

extension MessagingClient {
    /// Safety numbers, acceptance of other users' keys, and this device's keys.
    public nonisolated var keys: Keys { Keys(client: self) }

    /// Safety numbers, acceptance of exactly the keys that were shown, and this device's keys:
    /// ``MessagingClient/keys``.
    public struct Keys: Sendable {
        let client: MessagingClient

        /// The safety number that two people compare to exclude an attacker between them, and the keys in it: the other
        /// user's as listed now, accepted or not. Both sides get the same number.
        ///
        /// - Throws: ``ClientError``; without a connection it is made of known keys.
        public func safetyNumber(with user: UserID) async throws(ClientError) -> ShownNumber {
            try await client.perform { context throws(ClientError) in
                for each in [user, context.device.user] { try await context.keyExchange.freshen(each) }
                return try context.keyComparison.number(with: user)
            }
        }

        /// Whether the person has compared this user's account key.
        public func isVerified(_ user: UserID) async -> Bool {
            await client.perform { $0.keyring.book.isVerified(user) }
        }

        /// Whether keys of a user wait for acceptance. Nothing is sealed with them before.
        public func isPending(_ user: UserID) async -> Bool {
            await client.perform { $0.keyring.book.isPending(user) }
        }

        /// The user whose keys must be accepted before anything is sent to a conversation, if any.
        ///
        /// A group only waits if nobody else would get the message: members with held keys are left out.
        public func heldUser(in conversation: ConversationID) async -> UserID? {
            await client.perform { $0.keyExchange.heldUser(in: conversation) }
        }

        /// Trusts exactly the keys that were shown. Waiting messages are sent, and messages that can be opened now are
        /// emitted again.
        ///
        /// - Throws: ``ClientError/notAccepted(_:)`` if other keys are listed by now.
        /// - Returns: whether anything was to be accepted.
        @discardableResult
        public func accept(_ shown: ShownKeys) async throws(ClientError) -> Bool {
            try await client.perform { context throws(ClientError) in try context.keyComparison.accept(shown) }
        }

        /// Trusts a user's listed keys if they match a compared number. Nothing is fetched: the last list counts.
        ///
        /// - Parameter compared: the sixty digits, or enough of the first groups to cover the other user's keys
        ///   (`SafetyNumber.compare(digits:)`); or the code on the other's screen (`SafetyNumber.code`).
        /// - Throws: ``ClientError/notAccepted(_:)``, ``ClientError/noKeys(_:)``.
        /// - Returns: whether anything was to be accepted.
        @discardableResult
        public func accept(of user: UserID, matching compared: String) async throws(ClientError) -> Bool {
            try await client.perform { context throws(ClientError) in
                try context.keyComparison.accept(of: user, matching: compared)
            }
        }

        /// Compares the code on the other person's screen with the listed keys. If they match they are accepted, and
        /// the user is verified until another account key is accepted. Only an account key can be verified.
        ///
        /// - Throws: ``ClientError/noKeys(_:)``; ``ClientError/notAccepted(_:)`` if other keys are listed meanwhile.
        public func verify(_ user: UserID, code: String) async throws(ClientError) -> SafetyNumberComparison {
            try await client.perform { context throws(ClientError) in
                try context.keyComparison.verify(user, code: code)
            }
        }

        /// Makes and publishes a new identity key; the old one still opens old messages. A device with the account key
        /// certifies the new one, so that others trust it. Without, the device has to be linked again, and contacts
        /// without its account key see a changed key.
        ///
        /// - Throws: ``ClientError/keys(_:)`` if no key could be made; after any other error the next connection
        ///   publishes it.
        public func rotate() async throws(ClientError) {
            try await client.perform { context throws(ClientError) in
                try context.keyExchange.change(.rotation)
                try await context.keyExchange.publish()
            }
        }
    }
}
