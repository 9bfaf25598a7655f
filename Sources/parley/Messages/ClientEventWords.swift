import ParleyClient
import ParleyCrypto
import ParleyProtocol

extension ClientEvent {
    /// The event in words; `nil` for messages and their status, and for events that commands report in their own way.
    ///
    /// - Parameter titles: what people call what it is about.
    func words(_ titles: Titles = Titles()) -> EventWords? {
        switch self {
        case .gateway(let event): GatewayEventWords.words(of: event, titles)
        case .messageRequest(let request):
            EventWords("message.request", "\(request.user) wants to write: \(request.message?.text ?? "")") { object in
                object.member("conversation_id", request.conversation)
                object.member("user_id", request.user)
                object.member("created_at", request.createdAt)
                object.member("message", raw: request.message?.json)
            }
        case .presence(let update):
            EventWords(update.name, "\(update.user) is \(update.state.name)") { object in
                object.member("user_id", update.user)
                object.member("state", update.state.name)
                object.member("last_seen", update.lastSeen)
            }
        case .dayReported(let day):
            EventWords("day.reported", "the gateway has the report of \(day.day)", "metrics", day)
        case .workoutReported(let reply):
            EventWords(
                "workout.reported",
                "the gateway has workout \(reply.id.short): \(reply.checkIns) in week \(reply.week), streak \(reply.streakDays)",
                "workout", reply)
        case .requestRefused(let request, let rejection): request.words(rejection)
        case .conversationAdded(let summary): summary.words("conversation.added", titles)
        case .conversationChanged(let summary): summary.words("conversation.changed", titles)
        case .conversationRemoved(let id):
            EventWords("conversation.removed", "\(titles[id]) is over") {
                $0.member("conversation_id", id)
            }
        case .messageRemoved(let id, let conversation, because: .expired):
            EventWords("message.expired", "message \(id.short) has disappeared") { object in
                object.member("conversation_id", conversation)
                object.member("id", id)
            }
        case .tokenNotRenewed(let error, let end): error.words(end)
        case .gatewayFault(let fault):
            EventWords("gateway.fault", "\(fault)", to: .warned) { $0.member("message", fault.description) }
        case .membersChanged(let id, let added, let removed):
            EventWords(
                "members.changed", titles.sentence(of: id, added: added, removed: removed), to: .everybody
            ) {
                object in
                object.member("conversation_id", id)
                object.member("added", array: added) { $0.value($1) }
                object.member("removed", array: removed) { $0.value($1) }
            }
        case .resendRequested(let id, in: let conversation, of: let sender):
            sender.words(
                "message.resend_requested",
                "a message of \(sender) could not be opened; \(sender) is asked to send it again", id, conversation)
        case .resent(let id, in: let conversation, for: let reader):
            reader.words(
                "message.resent", "\(reader) could not open one of your messages; it is sealed and sent again", id,
                conversation)
        case .keys(let notice): EventWords(nil, notice.description, to: .everybody)
        case .leftOut(_, in: _, let devices):
            EventWords(
                nil,
                "not sealed for \(devices.map(\.description).joined(separator: ", ")): the keys were not accepted, or "
                    + "not certified", to: .everybody)
        case .messageRemoved(_, _, because: .discarded), .connected, .waiting, .ended, .messageAdded, .messageChanged,
            .change, .status, .receipt, .typing, .failed, .push, .historyReset,
            .storageFailed, .missed, .upload:
            nil
        }
    }
}

extension TokenRenewalError {
    fileprivate func words(_ end: Timestamp?) -> EventWords {
        let consequence = end.map { "; this device cannot sign in after \($0)" } ?? ""
        let sentence = "the token was not renewed, which is tried again\(consequence): \(self)"
        return EventWords("token.not_renewed", sentence, to: .warned) { object in
            object.member("message", sentence)
            object.member("expires_at", end)
        }
    }
}

extension Titles {
    fileprivate func sentence(of id: ConversationID, added: [UserID], removed: [UserID]) -> String {
        func names(_ users: [UserID]) -> String { users.map(\.text).joined(separator: ", ") }
        var parts: [String] = []
        if !added.isEmpty {
            parts.append("\(names(added)) joined, and can read what is sent from now on")
        }
        if !removed.isEmpty {
            parts.append("\(names(removed)) left, and cannot read what is sent from now on")
        }
        return "\(sentence(of: id)): " + parts.joined(separator: "; ")
    }
}

extension DeviceAddress {
    fileprivate func words(
        _ name: String, _ sentence: String, _ message: MessageID, _ conversation: ConversationID
    ) -> EventWords {
        EventWords(name, sentence, to: .everybody) { object in
            object.member("conversation_id", conversation)
            object.member("id", message)
            object.member("user_id", user)
            object.member("device_id", device)
        }
    }
}

extension ConversationSummary {
    fileprivate func words(_ name: String, _ titles: Titles) -> EventWords {
        EventWords(name, "\(titles[id]): \(unreadCount) unread") { object in
            object.member("conversation_id", id)
            object.member("name", self.name)
            object.member("unread_count", unreadCount)
            object.member("is_muted", preferences.isMuted)
            object.member("muted_until", preferences.mutedUntil)
            object.member("is_archived", isArchived)
            object.member("is_unread", preferences.isMarkedUnread)
        }
    }
}

extension RefusedRequest {
    private var words: String {
        switch self {
        case .workout(let id): "workout \(id.short)"
        case .workoutDeletion(let id): "taking back of workout \(id.short)"
        case .day(let day, version: _): "report of \(day)"
        }
    }

    fileprivate func words(_ rejection: Rejection) -> EventWords {
        let sentence =
            "the gateway refuses the \(words): \(rejection.message)".printable
        return EventWords("request.refused", sentence, to: .warned) { object in
            switch self {
            case .workout(let id):
                object.member("operation", LogWorkout.operation.description)
                object.member("workout_id", id)
            case .workoutDeletion(let id):
                object.member("operation", DeleteWorkout.operation.description)
                object.member("workout_id", id)
            case .day(let day, let version):
                object.member("operation", ReportMetrics.operation.description)
                object.member("day", day.description)
                object.member("version", version)
            }
            object.member("code", rejection.code.rawValue)
            object.member("message", rejection.message)
        }
    }
}
