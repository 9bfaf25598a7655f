// The names that these objects had while a device read them by types of its own.

public typealias ReceivedRecord = MessageRecord
public typealias ReceivedConversation = Conversation
public typealias ReceivedMember = Member
public typealias ReceivedReading = ConversationReading
public typealias ReceivedSettings = ConversationSettings
public typealias ReceivedHistory = HistoryReply
public typealias ReceivedSync = SyncReply
public typealias ReceivedPage = ListPage
public typealias ReceivedMessageRequest = MessageRequest
public typealias ReceivedPermission = PermissionReply
public typealias ReceivedProfile = ShownProfile
public typealias ReceivedStatus = GatewayStatus
public typealias ReceivedLinkOffer = LinkOfferNotice
public typealias FiledReport = ReportReceipt
