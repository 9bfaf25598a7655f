/// Every operation that the gateway knows, by its `area/verb` (protocol §5).
public enum RequestKind: String, Sendable, CaseIterable {
    case sendMessage = "messages/send"
    case editMessage = "messages/edit"
    case deleteMessage = "messages/delete"
    case reactToMessage = "messages/react"
    case getHistory = "history/get"
    case sync = "sync/get"
    case markDelivered = "receipts/delivered"
    case markRead = "receipts/read"
    case startTyping = "typing/start"
    case stopTyping = "typing/stop"
    case createConversation = "conversations/create"
    case getConversation = "conversations/get"
    case listConversations = "conversations/list"
    case updateConversation = "conversations/update"
    case addMembers = "conversations/add-members"
    case removeMember = "conversations/remove-member"
    case setRole = "conversations/set-role"
    case leaveConversation = "conversations/leave"
    case listRequests = "requests/list"
    case acceptRequest = "requests/accept"
    case declineRequest = "requests/decline"
    case publishKeys = "keys/publish"
    case getKeys = "keys/get"
    case backUpAccount = "account/backup"
    case getAccountBackup = "account/get-backup"
    case offerLink = "links/offer"
    case getLink = "links/get"
    case approveLink = "links/approve"
    case listDevices = "devices/list"
    case revokeDevice = "devices/revoke"
    case renewDevice = "devices/renew"
    case getProfile = "profile/get"
    case setProfile = "profile/set"
    case follow = "social/follow"
    case unfollow = "social/unfollow"
    case block = "social/block"
    case unblock = "social/unblock"
    case listFollowers = "social/followers"
    case listFollowing = "social/following"
    case listBlocked = "social/blocked"
    case canMessage = "social/can-message"
    case createReport = "reports/create"
    case addUser = "admin/add-user"
    case listUsers = "admin/list-users"
    case addDevice = "admin/add-device"
    case revokeUserDevice = "admin/revoke-device"
    case explainPermission = "admin/explain"
    case listReports = "admin/list-reports"

    private static let byOperation: [Operation: RequestKind] = {
        var table: [Operation: RequestKind] = [:]
        for kind in allCases { table[kind.operation] = kind }
        return table
    }()

    public init?(_ operation: Operation) {
        guard let kind = RequestKind.byOperation[operation] else { return nil }
        self = kind
    }

    public var area: String { String(rawValue.prefix { $0 != "/" }) }

    /// Whether the caller must hold the operator role.
    public var isForOperators: Bool {
        switch self {
        case .addUser, .listUsers, .addDevice, .revokeUserDevice, .explainPermission, .listReports: true
        case .sendMessage, .editMessage, .deleteMessage, .reactToMessage, .getHistory, .sync, .markDelivered, .markRead,
            .startTyping, .stopTyping, .createConversation, .getConversation, .listConversations, .updateConversation,
            .addMembers, .removeMember, .setRole, .leaveConversation, .listRequests, .acceptRequest, .declineRequest,
            .publishKeys, .getKeys, .backUpAccount, .getAccountBackup, .offerLink, .getLink, .approveLink, .listDevices,
            .revokeDevice, .renewDevice, .getProfile, .setProfile, .follow, .unfollow, .block, .unblock, .listFollowers,
            .listFollowing, .listBlocked, .canMessage, .createReport:
            false
        }
    }

    /// What the operation takes, in the notation of protocol §5.
    public var fields: String {
        switch self {
        case .sendMessage:
            "id, conversation_id, message_type, suite, encrypted_content, nonce, recipient_keys?, recipient_key_id?, "
                + "reply_to?, expires_in?, reply?"
        case .editMessage, .reactToMessage:
            "id, conversation_id, message_id, suite, encrypted_content, nonce, recipient_keys?, recipient_key_id?"
        case .deleteMessage: "id, conversation_id, message_id"
        case .sync: "cursors: {conversation_id: {epoch, seq}}, limit?=200, cursor?"
        case .getHistory: "conversation_id, limit?=50, and at most one of before?, after?, around?"
        case .markDelivered, .markRead: "conversation_id, message_id"
        case .startTyping, .stopTyping, .getConversation, .leaveConversation, .acceptRequest, .declineRequest:
            "conversation_id"
        case .createConversation: "id?, type, name?, participant_ids"
        case .listConversations: "limit?=20, offset?=0, archived?=false"
        case .updateConversation: "conversation_id, name?, is_muted?, muted_until?, is_archived?, is_unread?"
        case .addMembers: "conversation_id, user_ids"
        case .removeMember: "conversation_id, user_id"
        case .setRole: "conversation_id, user_id, role"
        case .listRequests, .listBlocked, .listReports: "limit?=50, cursor?"
        case .follow, .unfollow, .block, .unblock, .canMessage: "user_id"
        case .listFollowers, .listFollowing: "user_id? (the caller), limit?=50, cursor?"
        case .createReport: "id, reason, message_id or user_id, evidence?"
        case .explainPermission: "from, to"
        case .publishKeys:
            "identity_key, signing_key?, signature?, account_key?, certificate?, issued_at?, reset?=false"
        case .backUpAccount: "blob"
        case .offerLink: "identity_key, signing_key, link_key"
        case .approveLink: "device_id, certificate, issued_at, sealed"
        case .getKeys: "user_id"
        case .listDevices, .renewDevice, .getAccountBackup: ""
        case .revokeDevice, .getLink: "device_id"
        case .getProfile: "user_id? (the caller)"
        case .setProfile:
            "display_name?, photo_url?, message_privacy?, share_workout_data?, send_read_receipts?, send_typing?, "
                + "presence?, quiet_hours?, time_zone?"
        case .addUser: "user_id, display_name?, message_privacy?"
        case .listUsers: "limit?=50, cursor?"
        case .addDevice: "user_id, device_id, ttl_days?, name?"
        case .revokeUserDevice: "user_id, device_id, keep_issued?=false"
        }
    }
}

/// A request, parsed once at the edge: inside the gateway invalid values do not exist.
public enum Request: Hashable, Sendable {
    case sendMessage(SendMessage)
    case changeMessage(ChangeMessage)
    case getHistory(GetHistory)
    case sync(SyncRequest)
    case markReceipt(MarkReceipt)
    case startTyping(ConversationID)
    case stopTyping(ConversationID)
    case createConversation(CreateConversation)
    case getConversation(ConversationID)
    case listConversations(ListConversations)
    case updateConversation(UpdateConversation)
    case addMembers(AddMembers)
    case removeMember(RemoveMember)
    case setRole(SetRole)
    case leaveConversation(ConversationID)
    case listRequests(Page)
    case acceptRequest(ConversationID)
    case declineRequest(ConversationID)
    case publishKeys(PublishKeys)
    case getKeys(UserID)
    case backUpAccount(BackUpAccount)
    case getAccountBackup
    case offerLink(LinkOffer)
    /// What this device of the user's has offered.
    case getLink(DeviceID)
    case approveLink(LinkApproval)
    case listDevices
    case revokeDevice(DeviceID)
    /// Of the calling device; a request of an older client may name it, or another, which is forbidden.
    case renewDevice(DeviceID?)
    case getProfile(UserID?)
    case setProfile(ProfileChange)
    case follow(UserID)
    case unfollow(UserID)
    case block(UserID)
    case unblock(UserID)
    case listPeople(ListPeople)
    case canMessage(UserID)
    case createReport(CreateReport)
    case addUser(AddUser)
    case listUsers(ListUsers)
    case addDevice(AddDevice)
    case revokeUserDevice(RevokeUserDevice)
    case explainPermission(ExplainPermission)
    case listReports(Page)

    /// Reads the fields that `kind` takes from a scanned payload.
    public init(_ kind: RequestKind, _ object: JSONObject) throws(Rejection) {
        switch kind {
        case .sendMessage: self = .sendMessage(try SendMessage(object))
        case .editMessage: self = .changeMessage(try ChangeMessage(.edit, object))
        case .deleteMessage: self = .changeMessage(try ChangeMessage(.delete, object))
        case .reactToMessage: self = .changeMessage(try ChangeMessage(.react, object))
        case .getHistory: self = .getHistory(try GetHistory(object))
        case .sync: self = .sync(try SyncRequest(object))
        case .markDelivered: self = .markReceipt(try MarkReceipt(.delivered, object))
        case .markRead: self = .markReceipt(try MarkReceipt(.read, object))
        case .startTyping: self = .startTyping(try object.conversation())
        case .stopTyping: self = .stopTyping(try object.conversation())
        case .createConversation: self = .createConversation(try CreateConversation(object))
        case .getConversation: self = .getConversation(try object.conversation())
        case .listConversations: self = .listConversations(try ListConversations(object))
        case .updateConversation: self = .updateConversation(try UpdateConversation(object))
        case .addMembers: self = .addMembers(try AddMembers(object))
        case .removeMember: self = .removeMember(try RemoveMember(object))
        case .setRole: self = .setRole(try SetRole(object))
        case .leaveConversation: self = .leaveConversation(try object.conversation())
        case .listRequests: self = .listRequests(try Page(object))
        case .acceptRequest: self = .acceptRequest(try object.conversation())
        case .declineRequest: self = .declineRequest(try object.conversation())
        case .publishKeys: self = .publishKeys(try PublishKeys(object))
        case .getKeys: self = .getKeys(try object.user())
        case .backUpAccount: self = .backUpAccount(try BackUpAccount(object))
        case .getAccountBackup: self = .getAccountBackup
        case .offerLink: self = .offerLink(try LinkOffer(object))
        case .getLink: self = .getLink(try object.level("device_id").required("device_id"))
        case .approveLink: self = .approveLink(try LinkApproval(object))
        case .listDevices: self = .listDevices
        case .revokeDevice: self = .revokeDevice(try object.level("device_id").required("device_id"))
        case .renewDevice: self = .renewDevice(try object.level("device_id"))
        case .getProfile: self = .getProfile(try object.level("user_id"))
        case .setProfile: self = .setProfile(try ProfileChange(object))
        case .follow: self = .follow(try object.user())
        case .unfollow: self = .unfollow(try object.user())
        case .block: self = .block(try object.user())
        case .unblock: self = .unblock(try object.user())
        case .listFollowers: self = .listPeople(try ListPeople(.followers, object))
        case .listFollowing: self = .listPeople(try ListPeople(.following, object))
        case .listBlocked: self = .listPeople(try ListPeople(.blocked, object))
        case .canMessage: self = .canMessage(try object.user())
        case .createReport: self = .createReport(try CreateReport(object))
        case .addUser: self = .addUser(try AddUser(object))
        case .listUsers: self = .listUsers(try ListUsers(object))
        case .addDevice: self = .addDevice(try AddDevice(object))
        case .revokeUserDevice: self = .revokeUserDevice(try RevokeUserDevice(object))
        case .explainPermission: self = .explainPermission(try ExplainPermission(object))
        case .listReports: self = .listReports(try Page(object))
        }
    }
}

extension JSONObject {
    fileprivate func conversation() throws(Rejection) -> ConversationID {
        try uuid("conversation_id").required("conversation_id")
    }

    fileprivate func user() throws(Rejection) -> UserID { try level("user_id").required("user_id") }

    /// The request's own name for itself, as JSON to repeat in the reply.
    public func requestID() throws(Rejection) -> RequestID? {
        try rawString("request_id", maximum: Limits.requestIDCharacters).map(RequestID.init(json:))
    }
}

/// A request's own name for itself, kept as the JSON string that it came as.
public struct RequestID: Hashable, Sendable {
    package let json: [UInt8]
}
