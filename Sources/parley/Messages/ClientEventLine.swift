import ParleyClient
import ParleyProtocol

extension ClientEvent {
    /// What happened beside messages, as a line; `nil` for what is printed elsewhere, or of no interest to anybody.
    func line(asJSON isJSON: Bool) -> String? {
        var writer = JSONWriter()
        var sentence = ""
        var isTold = true
        writer.object { object in
            switch self {
            case .messageRequest(let request): sentence = request.write(to: &object)
            case .friendAdded(let user): sentence = user.write("friend.added", "is a friend", to: &object)
            case .friendRemoved(let user): sentence = user.write("friend.removed", "is no friend any more", to: &object)
            case .userBlocked(let user): sentence = user.write("user.blocked", "is blocked", to: &object)
            case .userUnblocked(let user): sentence = user.write("user.unblocked", "is not blocked", to: &object)
            case .presence(let update): sentence = update.writeLine(to: &object)
            case .challengeUpdated, .group, .dayReported, .workoutReported, .requestRefused, .weekEnded, .notification,
                .activity:
                sentence = writeTraining(to: &object)
            case .conversationAdded(let summary):
                sentence = summary.write("conversation.added", to: &object)
            case .conversationChanged(let summary):
                sentence = summary.write("conversation.changed", to: &object)
            case .conversationRemoved(let id):
                object.member("event", "conversation.removed")
                object.member("conversation_id", id)
                sentence = "conversation \(id) is over"
            case .messageExpired(let id, let conversation):
                object.member("event", "message.expired")
                object.member("conversation_id", conversation)
                object.member("id", id)
                sentence = "message \(id) has disappeared"
            case .deviceRenewed(let renewal): sentence = renewal.write(to: &object)
            case .pushEnded(let end): sentence = end.writeLine(to: &object)
            case .tokenNotRenewed(_, let end):
                sentence = renewalSentence.writeAlone("token.not_renewed", to: &object)
                object.member("expires_at", end)
            case .gatewayFault(let fault):
                sentence = fault.description.writeAlone("gateway.fault", to: &object)
            case .membersChanged(let id, let added, let removed):
                object.member("event", "members.changed")
                object.member("conversation_id", id)
                object.member("added", array: added) { $0.value($1) }
                object.member("removed", array: removed) { $0.value($1) }
                sentence = self.membersSentence ?? ""
            case .resendRequested(let id, in: let conversation, of: let device):
                device.write("message.resend_requested", id, conversation, to: &object)
                sentence = resendingSentence ?? ""
            case .resent(let id, in: let conversation, for: let device):
                device.write("message.resent", id, conversation, to: &object)
                sentence = resendingSentence ?? ""
            case .connected, .waiting, .ended, .message, .change, .status, .receipt, .typing, .keys, .leftOut, .failed,
                .push, .historyReset, .storageFailed, .missed:
                isTold = false
            }
        }
        guard isTold else { return nil }
        return isJSON
            ? String(decoding: writer.finish(), as: UTF8.self) : sentence.printableLines.joined(separator: " ↵ ")
    }
}

extension ChatRequest {
    /// Writes it as an event, and says it as a sentence.
    fileprivate func write(to object: inout JSONWriter) -> String {
        object.member("event", "message.request")
        object.member("conversation_id", conversation)
        object.member("user_id", user)
        object.member("created_at", createdAt)
        object.member("message", raw: message.map { Array($0.jsonLine.utf8) })
        return "\(user) wants to write: \(message?.text ?? "")"
    }
}

extension PresenceUpdate {
    /// Writes it as an event, and says it as a sentence.
    fileprivate func writeLine(to object: inout JSONWriter) -> String {
        object.member("event", "presence.updated")
        object.member("user_id", user)
        object.member("state", state.name)
        object.member("last_seen", lastSeen)
        return "\(user) is \(state.name)"
    }
}

extension DeviceRenewal {
    /// Writes it as an event, and says it as a sentence.
    fileprivate func write(to object: inout JSONWriter) -> String {
        object.member("event", "device.renewed")
        object.member("user_id", device.user)
        object.member("device_id", device.device)
        object.member("expires_at", expiresAt)
        object.member("at", at)
        return "\(device) has a new token, which ends at \(expiresAt)"
    }
}

extension PushEnd {
    /// Writes it as an event, and says it as a sentence.
    fileprivate func writeLine(to object: inout JSONWriter) -> String {
        object.member("event", "push.ended")
        writeMembers(to: &object)
        return
            "\(device) is registered with \(provider.name) no more (\(reason.name)): it is notified of nothing until it "
            + "registers again"
    }
}

extension ClientEvent {
    /// What is said of who can read what is sent: keys, devices that were left out, members, and a gateway that says what
    /// cannot be so; and of what was kept here and is not taken. To whoever acts as `device`; `nil` for everything else.
    func warning(for device: DeviceAddress) -> String? {
        switch self {
        case .keys(let notice):
            notice.asksToAccept
                ? "\(notice); \(notice.user.acceptInstructions(for: device))" : notice.description
        case .leftOut(_, in: _, let devices):
            "not sealed for \(devices.map(\.description).joined(separator: ", ")): the keys were not accepted, or not "
                + "certified"
        case .gatewayFault(let fault): "WARNING: \(fault)"
        case .membersChanged: membersSentence
        case .resendRequested, .resent: resendingSentence
        case .tokenNotRenewed: "WARNING: \(renewalSentence)"
        case .requestRefused(let request, let rejection): "WARNING: \(request.sentence(rejection))"
        case .connected, .waiting, .ended, .message, .change, .messageExpired, .status, .receipt, .typing,
            .conversationAdded, .conversationChanged, .conversationRemoved, .messageRequest, .friendAdded,
            .friendRemoved, .userBlocked, .userUnblocked, .challengeUpdated, .group, .dayReported, .workoutReported,
            .weekEnded, .presence, .deviceRenewed, .pushEnded, .notification, .push, .activity, .failed, .historyReset,
            .storageFailed,
            .missed:
            nil
        }
    }

    /// What a person reads of a message that could not be opened; `nil` for any other event.
    private var resendingSentence: String? {
        switch self {
        case .resendRequested(_, in: _, of: let sender):
            "a message of \(sender) could not be opened; \(sender) is asked to send it again"
        case .resent(_, in: _, for: let reader):
            "\(reader) could not open one of your messages; it is sealed and sent again"
        default: nil
        }
    }

    /// What a person reads of a token that was not renewed; empty for any other event.
    private var renewalSentence: String {
        guard case .tokenNotRenewed(let error, let end) = self else { return "" }
        let consequence = end.map { "; this device cannot sign in after \($0)" } ?? ""
        return "the token was not renewed, which is tried again\(consequence): \(error)"
    }

    /// What a person reads of members who were put into a group or are in it no more; `nil` for any other event.
    var membersSentence: String? {
        guard case .membersChanged(let id, let added, let removed) = self else { return nil }
        func names(_ users: [UserID]) -> String { users.map(\.text).joined(separator: ", ") }
        var parts: [String] = []
        if !added.isEmpty { parts.append("\(names(added)) joined, and can read what is sent from now on") }
        if !removed.isEmpty { parts.append("\(names(removed)) left, and cannot read what is sent from now on") }
        return "group \(id), as the gateway says: " + parts.joined(separator: "; ")
    }
}

extension String {
    /// Writes an event of which there is a sentence for people.
    fileprivate func writeAlone(_ event: String, to object: inout JSONWriter) -> String {
        object.member("event", event)
        object.member("message", self)
        return self
    }
}

extension UserID {
    fileprivate func write(_ event: String, _ what: String, to object: inout JSONWriter) -> String {
        object.member("event", event)
        object.member("user_id", self)
        return "\(self) \(what)"
    }
}

extension DeviceAddress {
    fileprivate func write(
        _ event: String, _ message: MessageID, _ conversation: ConversationID, to object: inout JSONWriter
    ) {
        object.member("event", event)
        object.member("conversation_id", conversation)
        object.member("id", message)
        object.member("user_id", user)
        object.member("device_id", device)
    }
}

extension ConversationSummary {
    fileprivate func write(_ event: String, to object: inout JSONWriter) -> String {
        object.member("event", event)
        object.member("conversation_id", id)
        object.member("name", name)
        object.member("unread_count", unreadCount)
        object.member("is_muted", preferences.isMuted)
        object.member("muted_until", preferences.mutedUntil)
        object.member("is_archived", isArchived)
        object.member("is_unread", preferences.isMarkedUnread)
        return "conversation \(id): \(unreadCount) unread"
    }
}
