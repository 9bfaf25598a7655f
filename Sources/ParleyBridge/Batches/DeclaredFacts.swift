import ParleyProtocol
import ParleyStore

/// The facts that the frequent requests of a batch declare, in order and with repeats.
///
/// A batch makes the `FactKeys` of the unknown ones of them.
struct DeclaredFacts {
    var devices: [DeviceAddress] = []
    var conversations: [ConversationID] = []
    /// Conversations with the published keys of their members.
    var sealedFor: [ConversationID] = []
    /// Conversations with the disclosure settings of the two of a direct one.
    var disclosedIn: [ConversationID] = []
    /// Records that may be there already, or that a request points to.
    var records: [MessageID] = []
    /// Messages that are to be changed.
    var targets: [MessageID] = []
    var receipts: [FactKeys.Receipt] = []
    /// Users with their disclosure settings.
    var disclosing: [UserID] = []
    /// Users with the bytes that they have stored today.
    var storing: [UserID] = []
}
