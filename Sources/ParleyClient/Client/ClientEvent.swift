import ParleyCrypto
import ParleyDeviceStore
import ParleyProtocol

/// An event of a client, in order. What it is about is stored before it is emitted.
public enum ClientEvent: Sendable {
    /// An event that the client only hands on. Its type is one of:
    ///
    /// - `FeedNotification`, `NotificationsCleared`: the feed of notifications has a new item, or was read.
    /// - `PersonNotice`: a friendship has begun or ended; or the user has blocked somebody, on any device, whose
    ///   messages the app hides in groups.
    /// - `GroupJoined`, `GroupUpdated`, `GroupMemberEvent`, `GroupDeleted`: a change of one of the user's training
    ///   groups (``MessagingClient/trainingGroups``).
    /// - `WeekEnd`: a week of such a group is over. Late workouts count until the week is closed.
    /// - `Challenge`: a challenge in one of the user's conversations is new, was answered, has progressed or has ended.
    /// - `ActivityItem`, `ActivityReaction`: an achievement of a watched user, or a reaction to one.
    /// - `DeviceRenewal`: one of the user's devices has a new token: it renewed its own, or an operator made one.
    /// - `PushEnd`: the push registration of one of the user's devices has ended, so that it gets no notifications
    ///   while offline. The app on that device registers again (``MessagingClient/Push/register(_:)``).
    case gateway(any GatewayEvent)
    /// Signed in. Missed messages follow; ``MessagingClient/ready(timeout:)`` returns once they are here.
    case connected
    /// There is no connection; another attempt follows.
    case waiting(ConnectionError)
    /// There is no connection, and no further attempt.
    case ended(ConnectionError)
    /// A new message: one that has come, or one of the user's own that is queued or was written on another device.
    case messageAdded(ChatMessage)
    /// A message that is here has changed: it was sent, opened, edited, deleted or reacted to.
    case messageChanged(ChatMessage)
    /// A message is gone from this device.
    case messageRemoved(MessageID, in: ConversationID, because: MessageRemoval)
    /// The log record of an edit, a deletion or a reaction. If the message is stored here, it follows with the change
    /// made; an app that shows messages can ignore this event.
    case change(ChatMessage)
    /// The status of one of the user's own messages has changed.
    case status(MessageID, in: ConversationID, ChatMessage.Status)
    case receipt(Watermark)
    /// A member has begun or stopped typing. Without a stop it ends at `expiresAt`.
    case typing(TypingIndicator)
    case conversationAdded(ConversationSummary)
    /// Users have joined or left a group, as the gateway says. Messages are sealed for its present members.
    case membersChanged(ConversationID, added: [UserID], removed: [UserID])
    /// The gateway said what an honest gateway never says. Each fault is reported once.
    case gatewayFault(GatewayFaultError)
    /// The name, members, roles, unread count or preferences have changed.
    case conversationChanged(ConversationSummary)
    /// The user is no longer a member, or the conversation is the other's message request now, which waits for an
    /// answer. Stored messages stay readable.
    case conversationRemoved(ConversationID)
    /// A stranger asks to write to the user, who accepts (``MessagingClient/MessageRequests/accept(_:)``, or by an
    /// answer), declines (``MessagingClient/MessageRequests/decline(_:)``) or does nothing.
    case messageRequest(ChatRequest)
    /// The gateway has accepted a report of a day (``MessagingClient/Metrics/report(_:on:in:version:)``): the day as it
    /// stores it.
    case dayReported(DayMetrics)
    /// The gateway has logged or deleted a workout that was queued here (``MessagingClient/workouts``).
    case workoutReported(WorkoutReply)
    /// The gateway refused a queued workout or report, which is not retried.
    case requestRefused(RefusedRequest, Rejection)
    case presence(PresenceUpdate)
    /// A push notification of a message or a feed item (which comes as a `FeedNotification`, too). The event `message`
    /// says when a message is in the log.
    case push(OpenedPush)
    /// Keys of the user or another user have changed. The notice has a sentence for people, and comes once.
    case keys(PeerKeyNotice)
    /// One of the user's messages was sent, and these devices cannot read it: their keys were not accepted or
    /// certified. The message says so, too: ``ChatMessage/leftOut``.
    case leftOut(MessageID, in: ConversationID, [DeviceAddress])
    /// A message could not be opened here, and its sender's device was asked to seal it again. Once for each message.
    case resendRequested(MessageID, in: ConversationID, of: DeviceAddress)
    /// One of this device's messages was sealed again for a device that could not open it. Once for each message.
    case resent(MessageID, in: ConversationID, for: DeviceAddress)
    /// The renewal of this device's token failed. It is retried; this event comes at most once an hour. After
    /// `expiresAt`, if known, the device can no longer sign in.
    case tokenNotRenewed(TokenRenewalError, expiresAt: Timestamp?)
    /// The upload of a message's file has begun, gone on, paused or ended.
    case upload(FileUpload)
    /// A message could not be sent. ``MessagingClient/retry(_:)`` tries again.
    case failed(MessageID, in: ConversationID, SendError)
    /// The gateway was restored from a backup, and the conversation's history begins a new epoch. Stored messages stay,
    /// before those that come. The app reads what it shows of the conversation again.
    case historyReset(ConversationID)
    /// The database cannot be written, as on a full disk. It is retried, and nothing is emitted meanwhile. With
    /// `tooNew` or `damaged`: a queued request cannot be read, and stays as it is.
    case storageFailed(DeviceStoreError)
    /// The number of events that were dropped because the reader was too slow.
    case missed(Int)
}

/// Why a message is gone.
public enum MessageRemoval: Hashable, Sendable {
    /// A disappearing message has expired.
    case expired
    /// It was discarded before it was sent.
    case discarded
}

extension ClientEvent {
    /// The message that is new or has changed; `nil` for every other event.
    public var message: ChatMessage? {
        switch self {
        case .messageAdded(let message), .messageChanged(let message): message
        default: nil
        }
    }
}
