import ParleyCrypto
import ParleyProtocol

extension MessagingClient {
    /// Others' keys: what people compare, and whom they trust. And this device's own.
    public nonisolated var keys: Keys { Keys(client: self) }

    /// Others' keys: what people compare, and what they accept, which is exactly what they were shown. And this
    /// device's own. ``MessagingClient/keys``
    public struct Keys: Sendable {
        let client: MessagingClient

        /// The number that two people compare to know that nobody sits between them, and the keys that it was made of:
        /// the other's keys as they are listed now, accepted or not. The same on both sides.
        ///
        /// - Throws: ``ClientError``; without a connection it is made from what is known.
        public func safetyNumber(with user: UserID) async throws(ClientError) -> ShownNumber {
            try await client.perform { context throws(ClientError) in
                for each in [user, context.device.user] { try await context.keyExchange.freshen(each) }
                return try context.keyComparison.number(with: user)
            }
        }

        /// Whether the person has compared the account key that this user is known by.
        public func isVerified(_ user: UserID) async -> Bool {
            await client.perform { $0.keyring.book.isVerified(user) }
        }

        /// Whether there is anything of a user's keys to accept. Until it is accepted, nothing is sealed with it.
        public func isPending(_ user: UserID) async -> Bool {
            await client.perform { $0.keyring.book.isPending(user) }
        }

        /// The user whose keys are to be accepted before anything is sent to a conversation; `nil` where nothing waits
        /// for that.
        ///
        /// A group waits for nobody as long as anybody else would get what is sent: those who are held are left out.
        public func heldUser(in conversation: ConversationID) async -> UserID? {
            await client.perform { $0.keyExchange.heldUser(in: conversation) }
        }

        /// Trusts exactly the keys that were shown. What waited is sent, and what could not be opened is emitted again.
        ///
        /// - Throws: ``ClientError/notAccepted(_:)`` where other keys are listed by now: nothing is accepted then.
        /// - Returns: whether anything was to be accepted.
        @discardableResult
        public func accept(_ shown: ShownKeys) async throws(ClientError) -> Bool {
            try await client.perform { context throws(ClientError) in try context.keyComparison.accept(shown) }
        }

        /// Trusts the keys that are listed of a user if they are those that the person has compared. Nothing is
        /// fetched: what was listed last counts.
        ///
        /// - Parameter compared: the sixty digits, or as many of the first groups as show the other's keys
        ///   (``SafetyNumber/compare(digits:)``); or the code of the other's screen (``SafetyNumber/code``).
        /// - Throws: ``ClientError/notAccepted(_:)``, ``ClientError/noKeys(_:)``.
        /// - Returns: whether anything was to be accepted.
        @discardableResult
        public func accept(of user: UserID, matching compared: String) async throws(ClientError) -> Bool {
            try await client.perform { context throws(ClientError) in
                try context.keyComparison.accept(of: user, matching: compared)
            }
        }

        /// Compares the code of the other person's screen with the keys that are listed. If they are the same they are
        /// accepted, and the user counts as verified until another account key of theirs is accepted. A user without an
        /// account key is not remembered as verified.
        ///
        /// - Throws: ``ClientError/noKeys(_:)``; ``ClientError/notAccepted(_:)``, should other keys be listed
        ///   meanwhile.
        public func verify(_ user: UserID, code: String) async throws(ClientError) -> SafetyNumberComparison {
            try await client.perform { context throws(ClientError) in
                try context.keyComparison.verify(user, code: code)
            }
        }

        /// Makes a new identity key of this device and publishes it; the old one still opens what was sealed for it.
        /// Where this device has the account key, it certifies the new one, and others trust it by that. Without, it is
        /// to be linked anew, and to those who know it without an account key it is a changed key.
        ///
        /// - Throws: ``ClientError/keys(_:)`` if there is none; another if it is published with the next connection.
        public func rotate() async throws(ClientError) {
            try await client.perform { context throws(ClientError) in
                try context.keyExchange.change(.rotation)
                try await context.keyExchange.publish()
            }
        }
    }
}
