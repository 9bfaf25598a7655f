import ParleyProtocol

/// A field of a request as protocol §5 has it: what it may hold, and what it must be refused with.
package struct RequestField: CustomStringConvertible {
    package let name: String
    package let isRequired: Bool
    package let form: FieldValues
    /// Members without which this field may not stand.
    package private(set) var companions = ""
    /// Whether its companions may stand without it, as they do where it is null.
    package private(set) var isNullable = true

    package var description: String { name }

    static func required(_ name: String, _ form: FieldValues) -> RequestField {
        RequestField(name: name, isRequired: true, form: form)
    }

    static func optional(_ name: String, _ form: FieldValues, companions: String = "") -> RequestField {
        RequestField(name: name, isRequired: false, form: form, companions: companions)
    }

    /// One of several that stand together or not at all.
    static func together(_ name: String, _ form: FieldValues, companions: String) -> RequestField {
        RequestField(name: name, isRequired: false, form: form, companions: companions, isNullable: false)
    }

    /// Every field that an operation takes.
    package static func of(_ kind: any Request.Type) -> [RequestField] {
        let conversation = required("conversation_id", .uuid)
        let user = required("user_id", .level)
        let page = [optional("limit", .integer(1...200)), optional("cursor", .text(256))]
        let sealed = [
            required("suite", .one(#""x25519-hkdf-sha256-aes256gcm""#, ofNames: true)),
            required("encrypted_content", .bytes(16...65_536)), required("nonce", .bytes(12...12)),
            optional("recipient_keys", .recipientKeys), optional("recipient_key_id", .bytes(8...8)),
        ]
        switch kind {
        case is SendMessage.Type:
            return [
                required("id", .uuid), conversation, required("message_type", .choice(MessageType.Sendable.self)),
                optional("reply_to", .uuid), optional("expires_in", .integer(1...31_536_000)),
                optional("reply", .one(#""event""#, ofNames: true)), optional("is_urgent", .bool),
                optional("blobs", .distinctUUIDs),
            ] + sealed
        case is EditMessage.Type, is ReactToMessage.Type:
            return [required("id", .uuid), conversation, required("message_id", .uuid)] + sealed
        case is DeleteMessage.Type: return [required("id", .uuid), conversation, required("message_id", .uuid)]
        case is SyncRequest.Type:
            return [required("cursors", .cursors)] + [optional("limit", .integer(1...200)), page[1]]
        case is GetHistory.Type:
            return [
                conversation, optional("limit", .integer(1...200)), optional("before", .point),
                optional("after", .point), optional("around", .point),
            ]
        case is MarkDelivered.Type, is MarkRead.Type: return [conversation, required("message_id", .uuid)]
        case is StartTyping.Type, is StopTyping.Type, is GetConversation.Type, is LeaveConversation.Type,
            is AcceptRequest.Type, is DeclineRequest.Type:
            return [conversation]
        case is UpdateConversation.Type:
            return [
                conversation, optional("name", .text(100)), optional("is_muted", .bool), optional("muted_until", .time),
                optional("is_archived", .bool), optional("is_unread", .bool),
            ]
        case is AddMembers.Type: return [conversation, required("user_ids", .someLevels)]
        case is RemoveMember.Type: return [conversation, user]
        case is SetRole.Type: return [conversation, user, required("role", .choice(MemberRole.self))]
        case is ListRequests.Type, is ListBlocked.Type, is ListReports.Type, is ListUsers.Type,
            is ListNotifications.Type:
            return page
        case is PostActivity.Type:
            return [
                required("id", .uuid), required("type", .choice(ActivityType.Posted.self)),
                required("title", .text(100)), optional("description", .text(1000)), optional("metadata", .flatObject),
            ]
        case is ListActivity.Type: return [optional("user_id", .level)] + page
        case is ReactToActivity.Type: return [required("id", .uuid), required("emoji", .emoji)]
        case is UnreactToActivity.Type: return [required("id", .uuid)]
        case is GetSummary.Type: return [user]
        case is MarkNotificationsRead.Type: return [required("ids", .uuids)]
        case is Follow.Type, is Unfollow.Type, is Block.Type, is Unblock.Type, is CanMessage.Type: return [user]
        case is ListFollowers.Type, is ListFollowing.Type: return [optional("user_id", .level)] + page
        case is LogWorkout.Type:
            return [
                required("id", .uuid), required("completed_at", .time), required("time_zone", .timeZone),
                optional("kind", .text(64)), optional("minutes", .integer(0...1440)),
            ]
        case is DeleteWorkout.Type: return [required("id", .uuid)]
        case is GetLeaderboard.Type:
            return [
                required("group_id", .uuid), required("type", .choice(LeaderboardType.self)), optional("week", .week),
            ]
        case is CreateReport.Type:
            return [
                required("id", .uuid), required("reason", .text(1000)), required("message_id", .uuid),
                optional("evidence", .json),
            ]
        case is GetGroup.Type, is DeleteGroup.Type, is LeaveGroup.Type: return [required("group_id", .uuid)]
        case is CreateGroup.Type:
            return [optional("id", .uuid), required("name", .text(100)), optional("time_zone", .timeZone)]
        case is UpdateGroup.Type: return [required("group_id", .uuid), required("name", .text(100))]
        case is RemoveGroupMember.Type: return [required("group_id", .uuid), user]
        case is SetGroupRole.Type:
            return [required("group_id", .uuid), user, required("role", .choice(MemberRole.self))]
        case is ReportMetrics.Type:
            let amount = FieldValues.integer(Limits.metricAmounts)
            return [
                required("date", .day), required("time_zone", .timeZone), optional("steps", amount),
                optional("calories", amount), optional("exercise_minutes", amount),
                required("version", .integer(Limits.metricVersions)),
            ]
        case is CreateChallenge.Type:
            return [
                required("id", .uuid), conversation, required("challenged_id", .level),
                required("type", .choice(ChallengeType.self)), required("target", .integer(Limits.challengeTargets)),
                required("duration_days", .integer(Limits.challengeDays)),
            ]
        case is AcceptChallenge.Type, is DeclineChallenge.Type, is CancelChallenge.Type, is GetChallenge.Type:
            return [required("id", .uuid)]
        case is ListChallenges.Type: return [optional("conversation_id", .uuid)] + page
        case is CreateInvite.Type:
            return [
                optional("id", .uuid), required("group_id", .uuid), optional("expires_in", .integer(1...31_536_000)),
                optional("uses", .integer(1...10_000)),
            ]
        case is ListInvites.Type: return [required("group_id", .uuid)] + page
        case is RevokeInvite.Type: return [required("id", .uuid)]
        case is PreviewInvite.Type, is AcceptInvite.Type: return [required("token", .inviteToken)]
        case is ExplainPermission.Type: return [required("from", .level), required("to", .level)]
        case is RegisterPush.Type:
            return [
                required("provider", .one(#""webhook""#, ofNames: true)), required("endpoint", .endpoint),
                required("secret", .secret),
            ]
        case is TraceMessage.Type: return [required("id", .uuid)]
        case is ExplainPush.Type: return [required("message_id", .uuid), user]
        case is TestPush.Type: return [user]
        case is CreateConversation.Type:
            return [
                required("type", .choice(ConversationType.self)), required("participant_ids", .levels),
                optional("id", .uuid), optional("name", .text(100)),
            ]
        case is ListConversations.Type:
            return [
                optional("limit", .integer(1...200)), optional("offset", .integer(0...Int(Int32.max))),
                optional("archived", .bool),
            ]
        case is PublishKeys.Type:
            func member(_ name: String, _ count: Int) -> String {
                #","\#(name)":"\#(Base64.encode([UInt8](repeating: 1, count: count)))""#
            }
            let (key, accountKey) = (member("signing_key", 32), member("account_key", 32))
            let (certificate, issuedAt) = (member("certificate", 64), #","issued_at":"2026-01-15T09:30:00.000Z""#)
            return [
                required("identity_key", .bytes(32...32)), optional("signing_key", .bytes(32...32)),
                optional("signature", .bytes(64...64), companions: key),
                together("account_key", .bytes(32...32), companions: key + certificate + issuedAt),
                together("certificate", .bytes(64...64), companions: key + accountKey + issuedAt),
                together("issued_at", .time, companions: key + accountKey + certificate),
                optional("reset", .bool, companions: key + accountKey + certificate + issuedAt),
            ]
        case is BackUpAccount.Type: return [required("blob", .bytes(1...4096))]
        case is LinkOffer.Type:
            return [
                required("identity_key", .bytes(32...32)), required("signing_key", .bytes(32...32)),
                required("link_key", .bytes(32...32)),
            ]
        case is LinkApproval.Type:
            return [
                required("device_id", .level), required("certificate", .bytes(64...64)), required("issued_at", .time),
                required("sealed", .bytes(80...80)),
            ]
        case is GetKeys.Type: return [user]
        case is RevokeDevice.Type, is GetLink.Type: return [required("device_id", .level)]
        case is RenewDevice.Type: return []
        case is GetProfile.Type: return [optional("user_id", .level)]
        case is ProfileChange.Type:
            return [
                optional("display_name", .text(100)), optional("photo_url", .text(2048)),
                optional("message_privacy", .choice(MessagePrivacy.self)), optional("share_workout_data", .bool),
                optional("send_read_receipts", .bool), optional("send_typing", .bool),
                optional("presence", .choice(PresencePrivacy.self)), optional("quiet_hours", .quietHours),
                optional("time_zone", .timeZone),
            ]
        case is AddUser.Type:
            return [
                user, optional("display_name", .text(100)), optional("message_privacy", .choice(MessagePrivacy.self)),
            ]
        case is AddDevice.Type:
            return [
                user, required("device_id", .level), optional("ttl_days", .integer(1...3650)),
                optional("name", .text(100)), optional("is_new", .bool),
            ]
        case is GetUser.Type, is DisableUser.Type, is EnableUser.Type, is RemoveUser.Type,
            is EraseUser.Type:
            return [user]
        case is ExportUser.Type: return [user, optional("limit", .integer(1...200)), optional("cursor", .text(256))]
        case is SetRetention.Type: return [conversation, optional("days", .integer(0...36_500))]
        case is GetRetention.Type: return [conversation]
        case is RenameUser.Type: return [user, required("display_name", .text(100))]
        case is RenewUserDevice.Type:
            return [user, required("device_id", .level), optional("ttl_days", .integer(1...3650))]
        case is RevokeUserDevice.Type: return [user, required("device_id", .level), optional("keep_issued", .bool)]
        case is CreateBlob.Type:
            return [
                required("id", .uuid), conversation, required("size", .integer(Limits.blobBytes)),
                required("digest", .bytes(32...32)),
            ]
        case is GetBlob.Type, is DeleteBlob.Type: return [required("id", .uuid)]
        case is CollectBlobs.Type: return [optional("known", .uuids), optional("removed", .uuids)]
        default: return ofAccounts(kind)
        }
    }

    /// An object of the fields that `kind` must have, but `without` one, and with `more` members.
    package static func payload(_ kind: any Request.Type, without: String? = nil, more: String = "") -> String {
        let members = of(kind).filter { $0.isRequired && $0.name != without }.map { field in
            #""\#(field.name)":\#(field.form.good[0])"#
        }
        return "{" + (members.joined(separator: ",") + more).drop { $0 == "," } + "}"
    }
}
