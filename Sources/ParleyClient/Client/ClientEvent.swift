import ParleyCrypto
import ParleyDeviceStore
import ParleyProtocol

/// What happens to a client, in the order in which it happened. Whatever an event is about is kept already.
public enum ClientEvent: Sendable {
    /// What the gateway says that is the app's alone, or of which the client keeps nothing to show. Its type says what:
    ///
    /// - `FeedNotification`, `NotificationsCleared`: something is new in the user's feed of notifications, or was read.
    /// - `PersonNotice`: the user and somebody are friends now, or no longer; or the user has blocked somebody, on this
    ///   or another device, whose words the app hides in groups.
    /// - `GroupJoined`, `GroupUpdated`, `GroupMemberEvent`, `GroupDeleted`: what becomes of a group of the user's that
    ///   trains together (``MessagingClient/trainingGroups``).
    /// - `WeekEnd`: a week of such a group is over. What was done in it and comes late counts until the week is closed.
    /// - `Challenge`: one of the user's conversations has a new one, it was answered or has ended, or somebody has come
    ///   further in it.
    /// - `ActivityItem`, `ActivityReaction`: somebody whose activity is watched has achieved something, or somebody
    ///   reacts.
    /// - `DeviceRenewal`: a device of the user's own has a new token: it has asked for it itself, or an operator has
    ///   made it anew.
    /// - `PushEnd`: a device of the user's own, this one or another, is notified of nothing while it is not connected:
    ///   its registration with a push service was ended. The app on that device registers again
    ///   (``MessagingClient/Push/register(_:)``).
    case gateway(any GatewayEvent)
    /// Signed in. What was missed comes now; ``MessagingClient/ready(timeout:)`` returns when it is here.
    case connected
    /// There is no connection; another attempt follows.
    case waiting(ConnectionError)
    /// There is no connection and none will be made.
    case ended(ConnectionError)
    /// A message, in its place in its conversation: new, or one whose id was emitted before and of which something has
    /// changed: it has been sent, could be opened, was edited, deleted or reacted to.
    case message(ChatMessage)
    /// A record of the log that changes a message: an edit, a deletion or a reaction. The message follows, if it is
    /// kept here and has changed; an app that shows messages needs nothing of this.
    case change(ChatMessage)
    /// A disappearing message has expired: nothing of it is left on this device.
    case messageExpired(MessageID, in: ConversationID)
    /// How far one of the user's own messages has come.
    case status(MessageID, in: ConversationID, ChatMessage.Status)
    /// A member has received, or read, everything up to a message.
    case receipt(Watermark)
    /// A member has begun to write, or stopped. It ends at `expiresAt` if no stop comes before.
    case typing(TypingIndicator)
    case conversationAdded(ConversationSummary)
    /// The gateway says that users joined or left a group. What is sent from now on is sealed for its present members.
    case membersChanged(ConversationID, added: [UserID], removed: [UserID])
    /// The gateway has said what an honest one never says. Each fault is reported once.
    case gatewayFault(GatewayFaultError)
    /// Its name, members, roles, number of unread messages or preferences have changed.
    case conversationChanged(ConversationSummary)
    /// The user is no member any more. What is kept of it stays readable.
    case conversationRemoved(ConversationID)
    /// Somebody asks to write to the user, who accepts (``MessagingClient/MessageRequests/accept(_:)``, or by an
    /// answer), declines (``MessagingClient/MessageRequests/decline(_:)``) or does nothing.
    case messageRequest(ChatRequest)
    /// The gateway has a day that was reported here (``MessagingClient/Metrics/report(_:on:in:version:)``), as it is
    /// now.
    case dayReported(DayMetrics)
    /// The gateway has carried out what was kept here of a workout (``MessagingClient/workouts``): how the user is
    /// placed with it, or without it.
    case workoutReported(WorkoutReply)
    /// What was kept here to be told to the gateway was refused, and is not tried again.
    case requestRefused(RefusedRequest, Rejection)
    /// A friend, or the user, came online or went offline.
    case presence(PresenceUpdate)
    /// What a push service brings to this user's sleeping devices, a message or something new in the feed, which then
    /// comes as a `FeedNotification`, too. Whether a message is in the log the event `message` says.
    case push(OpenedPush)
    /// Keys of another user, or the user's own, have changed. The notice has a sentence for people, and comes once.
    case keys(PeerKeyNotice)
    /// One of the user's own messages was sent, and these devices cannot read it: they are listed, and their keys were
    /// not accepted or certified. The message says so, too: ``ChatMessage/leftOut``.
    case leftOut(MessageID, in: ConversationID, [DeviceAddress])
    /// A message of another device could not be opened here; that device's client was asked to seal it anew. Once for a
    /// message.
    case resendRequested(MessageID, in: ConversationID, of: DeviceAddress)
    /// A device could not open a message of this one, which was sealed anew for it. Once for a message.
    case resent(MessageID, in: ConversationID, for: DeviceAddress)
    /// The token of this device was to be renewed, and was not: it is tried again, and this event comes once an hour
    /// while it fails. When the token ends, at `expiresAt` where that is known, the device cannot sign in any more.
    case tokenNotRenewed(TokenRenewalError, expiresAt: Timestamp?)
    /// A message has failed: it is not sent before ``MessagingClient/retry(_:)``.
    case failed(MessageID, in: ConversationID, SendError)
    /// The gateway was put back to an earlier state, and the conversation's history begins anew from there. Everything
    /// that is kept here stays, before what comes: what is shown of the conversation is to be read again.
    case historyReset(ConversationID)
    /// Nothing can be kept at the moment, as on a full disk; it is tried again, and nothing is emitted meanwhile. With
    /// `tooNew` or `damaged`: something that waits to be told to the gateway cannot be read, and stays as it is.
    case storageFailed(DeviceStoreError)
    /// So many events were dropped here because the reader was too slow.
    case missed(Int)
}
