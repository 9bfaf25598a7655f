import ParleyProtocol
import ParleyStore

/// What the frequent requests of a batch say that they will ask for, in their order and as often as they say it.
///
/// A batch makes of it the `FactKeys` to be gathered: those of which nothing is known yet.
struct DeclaredFacts {
    var devices: [DeviceAddress] = []
    var conversations: [ConversationID] = []
    /// Conversations, asked for with the published keys of their members.
    var sealedFor: [ConversationID] = []
    /// Conversations, asked for with what the two of a direct one disclose.
    var disclosedIn: [ConversationID] = []
    /// Records that may be there already, or that a request points to.
    var records: [MessageID] = []
    /// Messages that are to be changed.
    var targets: [MessageID] = []
    var receipts: [FactKeys.Receipt] = []
    /// Users, asked for with what they disclose.
    var disclosing: [UserID] = []
    /// Users, asked for with how much they have stored today.
    var storing: [UserID] = []
}
