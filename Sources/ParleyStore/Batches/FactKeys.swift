import ParleyProtocol
import ParleyRules

/// What the decisions of a batch need to know and is not known yet, by its keys: gathered at once.
package struct FactKeys: Sendable {
    /// How far a reader has come in a conversation.
    package struct Receipt: Hashable, Sendable {
        package let conversation: ConversationID
        package let reader: DeviceAddress

        package init(conversation: ConversationID, reader: DeviceAddress) {
            (self.conversation, self.reader) = (conversation, reader)
        }
    }

    package var devices: Set<DeviceAddress> = []
    package var conversations: Set<ConversationID> = []
    /// Records that may be there already, or that a request points to.
    package var records: Set<MessageID> = []
    /// Messages that are to be changed.
    package var targets: Set<MessageID> = []
    /// People whose published keys are needed, and conversations, among those asked for, whose members' are.
    package var keyHolders: Set<UserID> = []
    package var sealedFor: Set<ConversationID> = []
    package var receipts: Set<Receipt> = []
    /// People whose disclosure settings are needed, and direct conversations, of both of whose members they are needed.
    package var disclosing: Set<UserID> = []
    package var disclosedIn: Set<ConversationID> = []

    /// People of whom the bytes stored on `day` are needed, which is in days since 1970.
    package var storing: Set<UserID> = []
    package var day = 0

    package init() {}
}

/// What was found for the keys of a batch. What was asked for and is not in here does not exist.
package struct GatheredFacts: Sendable {
    package internal(set) var devices: [DeviceAddress: DeviceState] = [:]
    package internal(set) var conversations: [ConversationID: ConversationState] = [:]
    package internal(set) var records: [MessageID: RecordLocation] = [:]
    package internal(set) var targets: [MessageID: ChangeTarget] = [:]
    /// By user; of a user who has published none the list is empty.
    package internal(set) var keys: [UserID: [DeviceKeys]] = [:]
    package internal(set) var receipts: [FactKeys.Receipt: ReceiptState] = [:]
    package internal(set) var disclosures: [UserID: DisclosureSettings] = [:]
    /// In bytes.
    package internal(set) var storedBytes: [UserID: Int] = [:]

    package init() {}
}

/// What a user discloses of what they read and write.
package struct DisclosureSettings: Hashable, Sendable {
    package let sendsReadReceipts: Bool
    package let sendsTyping: Bool
}
