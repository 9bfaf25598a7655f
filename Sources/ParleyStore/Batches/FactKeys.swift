import ParleyProtocol
import ParleyRules

/// The keys of the facts that a batch needs, which are gathered at once.
package struct FactKeys: Sendable {
    package struct Receipt: Hashable, Sendable {
        package let conversation: ConversationID
        package let reader: DeviceAddress

        package init(conversation: ConversationID, reader: DeviceAddress) {
            (self.conversation, self.reader) = (conversation, reader)
        }
    }

    package var devices: Set<DeviceAddress> = []
    package var conversations: Set<ConversationID> = []
    /// Records that may exist, or that a request points to.
    package var records: Set<MessageID> = []
    /// Messages to change.
    package var targets: Set<MessageID> = []
    /// Users whose published keys are needed.
    package var keyHolders: Set<UserID> = []
    /// Conversations, among `conversations`, whose members' published keys are needed.
    package var sealedFor: Set<ConversationID> = []
    package var receipts: Set<Receipt> = []
    /// Users whose disclosure settings are needed.
    package var disclosing: Set<UserID> = []
    /// Direct conversations whose members' disclosure settings are needed.
    package var disclosedIn: Set<ConversationID> = []

    /// Users whose bytes stored on `day`, in days since 1970, are needed.
    package var storing: Set<UserID> = []
    package var day = 0

    package init() {}
}

/// The facts for the keys of a batch. A key without a fact does not exist.
package struct GatheredFacts: Sendable {
    package internal(set) var devices: [DeviceAddress: DeviceState] = [:]
    package internal(set) var conversations: [ConversationID: ConversationState] = [:]
    package internal(set) var records: [MessageID: RecordLocation] = [:]
    package internal(set) var targets: [MessageID: ChangeTarget] = [:]
    /// Empty for a user who has published none.
    package internal(set) var keys: [UserID: [DeviceKeys]] = [:]
    package internal(set) var receipts: [FactKeys.Receipt: ReceiptState] = [:]
    package internal(set) var disclosures: [UserID: DisclosureSettings] = [:]
    /// In bytes.
    package internal(set) var storedBytes: [UserID: Int] = [:]

    package init() {}
}

package struct DisclosureSettings: Hashable, Sendable {
    package let sendsReadReceipts: Bool
    package let sendsTyping: Bool
}
