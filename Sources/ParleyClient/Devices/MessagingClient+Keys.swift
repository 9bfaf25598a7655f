import ParleyProtocol

// This device's keys, and whether others' are trusted.

extension MessagingClient {
    /// Makes a new identity key and publishes it; the old one still opens what was sealed for it. Where this device has
    /// the account key, it certifies the new one, and others take it up by themselves. Without, it is to be linked anew,
    /// and to those who know it without an account key it is a changed key.
    ///
    /// - Throws: ``ClientError/keys(_:)`` if there is none; another if it is published with the next connection.
    public func rotateKeys() async throws(ClientError) {
        try context.keyExchange.change(.rotation)
        try await context.keyExchange.publish()
    }

    /// Makes a new account key in the place of one that is lost with all devices that held it. The user's other devices are
    /// to be linked anew, and contacts see a changed account key: they send nothing before they have accepted it.
    ///
    /// - Throws: ``ClientError/keys(_:)`` if there is none; another if the gateway has not taken it. The account key that is
    ///   replaced is given up in either case.
    public func resetAccount() async throws(ClientError) { try await context.keyExchange.resetAccount() }

    /// The user whose keys are to be accepted before anything is sent to a conversation; `nil` where nothing waits for that.
    ///
    /// A group waits for nobody as long as anybody else would get what is sent: those who are held are left out.
    public func heldUser(in conversation: ConversationID) -> UserID? {
        context.keyExchange.heldUser(in: conversation)
    }
}
