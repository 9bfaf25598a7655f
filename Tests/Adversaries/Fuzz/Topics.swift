/// A topic that is read is printed as it was, and its first levels say the same to the access rules.
@Sendable func fuzzTopic(_ bytes: [UInt8]) {
    let path = TopicPath(parsing: bytes.span)
    guard let topic = Topic(parsing: bytes.span) else { return }
    var printed: [UInt8] = []
    topic.append(to: &printed)
    hold(printed == bytes, "a topic is printed as it was read")
    guard let path else { fatalError("a topic has a path") }
    let kind: TopicPath.Kind
    switch topic {
    case .up(let address, _):
        kind = .up
        hold(path.levelCount == 5 && path.names(address, in: bytes.span), "the path names the device")
    case .down(let address, _, _):
        kind = .down
        hold(path.names(address, in: bytes.span), "the path names the device")
    case .conversation: kind = .conversations
    case .group: kind = .groups
    case .user: kind = .users
    case .gatewayStatus, .gatewayStats: kind = .gateway
    }
    hold(path.kind == kind, "topic and path are of one kind")
}

/// A device's filter that is allowed matches, by MQTT's own rules, no topic that the device may not receive.
@Sendable func fuzzFilter(_ bytes: [UInt8]) {
    let user = UserID(validated: "alice")
    let bearer = Bearer(
        address: DeviceAddress(user: user, device: DeviceID(validated: "phone")), role: .device)
    let isAllowed = AccessPolicy.subscribe(bearer, filter: bytes.span, held: 0, audiences: sampleAudiences).isAllowed
    _ = AccessPolicy.publish(bearer, topic: bytes.span, qos: 1, retain: false)
    _ = AccessPolicy.receive(bearer, topic: bytes.span, payload: bytes.span, audiences: sampleAudiences)
    _ = EventOrigin(of: bytes.span)
    guard isAllowed else { return }
    for topic in foreignTopics {
        hold(!matches(bytes[...], Array(topic.utf8)[...]), "an allowed filter matches no foreign topic")
    }
}

private let ownConversation = UUIDValue(high: 0x7F31_0B0C_6A52_4C1E, low: 0x9A51_0D2B_1A2F_3C4D)

private let sampleAudiences: Audiences = {
    var audiences = Audiences()
    audiences.set([UserID(validated: "alice")], of: ConversationID(ownConversation))
    audiences.befriend(UserID(validated: "alice"), UserID(validated: "carol"))
    return audiences
}()

private let foreignTopics = [
    "parley/v1/conversations/7f310b0c-6a52-4c1e-9a51-0d2b1a2f3c4e/messages", "parley/v1/users/bob/events",
    "parley/v1/users/bob/presence", "parley/v1/users/carol/events", "parley/v1/users/carol/notifications",
    "parley/v1/down/alice/tablet/messages/send/accepted", "parley/v1/down/bob/phone/messages/send/accepted",
    "parley/v1/up/alice/phone/messages/send", "parley/v1/gateway/stats/sessions", "parley/v1/groups/x/events",
    "$CONTROL/parley/v1/response", "$SYS/broker/uptime", "other",
]

/// MQTT 5 §4.7, level by level.
private func matches(_ filter: ArraySlice<UInt8>, _ topic: ArraySlice<UInt8>) -> Bool {
    let slash = UInt8(ascii: "/")
    let filters = filter.split(separator: slash, omittingEmptySubsequences: false)
    let levels = topic.split(separator: slash, omittingEmptySubsequences: false)
    for (index, level) in filters.enumerated() {
        if level.elementsEqual("#".utf8) { return true }
        guard index < levels.count, level.elementsEqual("+".utf8) || level == levels[index] else { return false }
    }
    return filters.count == levels.count
}
