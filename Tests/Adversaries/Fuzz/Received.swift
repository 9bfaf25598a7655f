/// Whatever a gateway sends, a device reads it or says what is wrong. The first byte chooses what is read.
///
/// A record that is read is written as it was and read again as the same: a device stores records in that form.
@Sendable func fuzzReceived(_ bytes: [UInt8]) {
    guard let choice = bytes.first else { return }
    let payload = Array(bytes.dropFirst())
    for topic in heardTopics { _ = try? ReceivedEvent(topic: topic, payload: payload) }
    let readings = receivedValues
    readings[Int(choice) % readings.count](payload)
}

/// A request of any operation is read or refused. The first byte chooses the operation.
@Sendable func fuzzRequest(_ bytes: [UInt8]) {
    guard let choice = bytes.first else { return }
    let type = OperationTable.all[Int(choice) % OperationTable.all.count]
    let payload = Array(bytes.dropFirst())
    let unbounded = try? JSONObject(parsing: payload)
    guard let object = try? JSONObject(parsing: payload, MemberBound(requestOf: type)) else { return }
    hold(unbounded?.element == object.element, "what is read with a bound is read the same without one")
    _ = try? object.requestID()
    _ = try? type.init(members: object)
}

private let heardTopics: [Topic] = {
    let conversation = ConversationID(UUIDValue(high: 0x7F31_0B0C_6A52_4C1E, low: 0x9A51_0D2B_1A2F_3C4D))
    let user = UserID(validated: "alice")
    return [
        .conversation(conversation, .messages), .conversation(conversation, .receipts), .user(user, .events),
        .user(user, .notifications), .user(user, .activity), .group(GroupID(conversation.value), .events),
        .gatewayStatus,
    ]
}()

private let receivedValues: [@Sendable ([UInt8]) -> Void] = [
    readRecord, reads(HistoryReply.self), reads(SyncReply.self), reads(Conversation.self),
    reads(ConversationList.self), reads(UserKeys.self), reads(DeviceList.self), reads(ShownProfile.self),
    reads(Report.self), reads(ListPage<MessageRequest>.self), reads(ListPage<ListedPerson>.self),
    reads(PermissionReply.self), reads(SentMessage.self), reads(AcceptedChange.self), reads(Watermark.self),
    reads(TrainingGroup.self), reads(GroupList.self), reads(Invite.self), reads(InvitePreview.self),
    reads(NotificationPage.self), reads(ListPage<ActivityItem>.self), reads(FriendSummary.self),
    reads(AccountState.self), reads(SignedIn.self), reads(AccountProviders.self),
]

private func reads<Value: GatewayValue>(_: Value.Type) -> @Sendable ([UInt8]) -> Void {
    { payload in _ = try? Value(json: payload) }
}

@Sendable private func readRecord(_ payload: [UInt8]) {
    guard let record = try? MessageRecord(json: payload) else { return }
    _ = record.expiresIn
    var writer = JSONWriter()
    record.write(to: &writer)
    guard let again = try? MessageRecord(json: writer.bytes) else { fatalError("a record that is written is read") }
    hold(again == record, "a record is written as it was read")
}
