import ParleyProtocol
import Testing

/// A field of a request as protocol §5 has it: what it may hold, and what it must be refused with.
struct RequestField: CustomStringConvertible {
    let name: String
    let isRequired: Bool
    let form: FieldForm
    /// Members without which this field may not stand.
    var companions = ""
    /// Whether its companions may stand without it, as they do where it is null.
    var isNullable = true

    var description: String { name }

    static func required(_ name: String, _ form: FieldForm) -> RequestField {
        RequestField(name: name, isRequired: true, form: form)
    }

    static func optional(_ name: String, _ form: FieldForm, companions: String = "") -> RequestField {
        RequestField(name: name, isRequired: false, form: form, companions: companions)
    }

    /// One of several that stand together or not at all.
    static func together(_ name: String, _ form: FieldForm, companions: String) -> RequestField {
        RequestField(name: name, isRequired: false, form: form, companions: companions, isNullable: false)
    }

    /// Every field that an operation takes.
    static func of(_ kind: any Request.Type) -> [RequestField] {
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
                optional("reply", .one(#""event""#, ofNames: true)),
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
            let amount = FieldForm.integer(Limits.metricAmounts)
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
                optional("name", .text(100)),
            ]
        case is RevokeUserDevice.Type: return [user, required("device_id", .level), optional("keep_issued", .bool)]
        default:
            if !kind.fields.isEmpty { Issue.record("nobody has said what the fields of \(kind.operation) may hold") }
            return []
        }
    }
}

/// What a field may hold, as JSON text.
struct FieldForm {
    let good: [String]
    let bad: [(json: String, code: ErrorCode)]

    private init(good: [String], bad: [String], tooLarge: [String] = [], invalid: [String] = []) {
        self.good = good
        self.bad =
            bad.map { ($0, .badRequest) } + tooLarge.map { ($0, .tooLarge) } + invalid.map { ($0, .inviteInvalid) }
    }

    private static let notStrings = ["1", "0.5", "true", "false", "[]", "{}", #"["x"]"#, #"{"x":"y"}"#]

    private static func quoted(_ texts: [String]) -> [String] { texts.map { #""\#($0)""# } }

    private static func quoted(count: Int) -> String {
        #""\#(Base64.encode([UInt8](repeating: 7, count: count)))""#
    }

    static let uuid = FieldForm(
        good: quoted(["0b0c6a52-6f2c-4c1e-9a51-0d2b1a2f3c4d", #"0b0c6a52\u002d6f2c-4c1e-9a51-0d2b1a2f3c4d"#]),
        bad: notStrings
            + quoted([
                "", "x", "0B0C6A52-6F2C-4C1E-9A51-0D2B1A2F3C4D", "0b0c6a52-6f2c-4c1e-9a51-0d2b1a2f3c4",
                #"0b0c6a52-6f2c-4c1e-9a51-0d2b1a2f3c4d\n"#, "{0b0c6a52-6f2c-4c1e-9a51-0d2b1a2f3c4d}",
            ]))

    static let flatObject = FieldForm(
        good: ["{}", #"{"days":7,"unit":"km","is_new":true,"note":null,"long":1.5e3}"#, #"{ "a" : "\u00e9" }"#],
        bad: ["1", "true", "[]", #""x""#, #"{"a":{}}"#, #"{"a":[]}"#, #"{"a":1,"b":{"c":1}}"#],
        tooLarge: [#"{"a":"\#(String(repeating: "x", count: 4096))"}"#])

    static let emoji = FieldForm(
        good: quoted(["👏", "❤️", "1️⃣", "🏳️‍🌈", "👩🏻‍❤️‍💋‍👨🏿", "🇩🇪", #"\ud83d\ude00"#]),
        bad: notStrings + quoted(["", "x", "1", "#", "👏👏", "👏 ", "é", #"👏\u0000"#, "❤", "日"]))

    static let uuids: FieldForm = {
        let id = #""0b0c6a52-6f2c-4c1e-9a51-0d2b1a2f3c4d""#
        func list(_ count: Int) -> String { "[\(Array(repeating: id, count: count).joined(separator: ","))]" }
        return FieldForm(
            good: ["[]", list(1), list(200)],
            bad: ["1", "true", "{}", id, "[1]", "[null]", "[[]]", #"["x"]"#, "[\(id),{}]"], tooLarge: [list(201)])
    }()

    static let level = FieldForm(
        good: quoted(["a", "A_b-9", String(repeating: "x", count: 64), #"\u0061lice"#]),
        bad: notStrings
            + quoted([
                "", String(repeating: "x", count: 65), "a/b", "a+b", "#", "a b", "a:b", "ı", "é", #"a\u0000"#, #"a\/b"#,
            ]))

    static let levels = FieldForm(
        good: ["[]", #"["bob"]"#, #"["bob","carol","bob"]"#],
        bad: ["1", "true", "{}", #""bob""#, "[1]", "[null]", "[[]]", #"["a/b"]"#, #"[""]"#, #"["bob",{}]"#])

    static let someLevels = FieldForm(good: levels.good.filter { $0 != "[]" }, bad: levels.bad.map(\.json) + ["[]"])

    static let time = FieldForm(
        good: quoted(["2026-01-15T09:30:00.000Z", "1970-01-01T00:00:00.000Z"]),
        bad: notStrings
            + quoted([
                "", "x", "2026-01-15", "2026-01-15T09:30:00Z", "2026-02-30T09:30:00.000Z", "2026-01-15T09:30:00.000",
            ]))

    static let cursors = FieldForm(
        good: [
            "{}", #"{"0b0c6a52-6f2c-4c1e-9a51-0d2b1a2f3c4d":{"epoch":"k3Jx9w","seq":0}}"#,
            #"{"0b0c6a52\u002d6f2c-4c1e-9a51-0d2b1a2f3c4d":{"epoch":"","seq":9223372036854775807,"x":[]}}"#,
        ],
        bad: ["1", "true", "[]", #""x""#, #"{"x":{"epoch":"e","seq":1}}"#, #"{"":{"epoch":"e","seq":1}}"#]
            + [
                "1", "null", "[]", "{}", #"{"epoch":"e"}"#, #"{"seq":1}"#, #"{"epoch":"e","seq":-1}"#,
                #"{"epoch":1,"seq":1}"#,
            ]
            .map { #"{"0b0c6a52-6f2c-4c1e-9a51-0d2b1a2f3c4d":\#($0)}"# })

    /// Anything at all, which is kept as it is.
    static let json = FieldForm(
        good: ["1", "true", "[]", #""x""#, #"{"content_key":"AAAA","content":{"text":"\u00e9"}}"#], bad: [],
        tooLarge: [#""\#(String(repeating: "x", count: 96 * 1024))""#])

    static let week = FieldForm(
        good: quoted(["2026-W03", "2020-W53", #"2026\u002dW03"#]),
        bad: notStrings + quoted(["", "2026-W00", "2025-W53", "2026-w03", "2026W03", "2026-W3", "2026-W03-1", "W03"]))

    static let bool = FieldForm(
        good: ["true", "false"], bad: ["0", "1", #""true""#, "[]", "{}", "[true]"])

    static let point = FieldForm(
        good: ["0", "42", "4.2e1", "9223372036854775807", #""0b0c6a52-6f2c-4c1e-9a51-0d2b1a2f3c4d""#],
        bad: ["-1", "1.5", "9223372036854775808", "1e400", "true", "[]", "{}", #""42""#, #""""#, #""x""#])

    static let day = FieldForm(
        good: quoted(["2026-01-15", "2024-02-29", "1970-01-01"]),
        bad: notStrings
            + quoted([
                "", "x", "2026-1-15", "2026-02-29", "2026-13-01", "2026-00-10", "2026-01-00", "26-01-15", "2026-01-150",
                "2026/01/15", "2026-01-15T09:30:00.000Z", " 2026-01-15", "+026-01-15",
            ]))

    static let quietHours = FieldForm(
        good: [#"{"from":"22:00","to":"07:00"}"#, #"{"from":"00:00","to":"23:59","x":1}"#],
        bad: ["1", "true", "[]", "{}", #""22:00""#, #"{"from":"22:00"}"#, #"{"to":"22:00"}"#]
            + [
                "24:00", "2:00", "22:60", "22-00", "-0:00", "+1:00", "22:-1", "22:+1", " 2:00", "22:0", "２2:0", "",
                "noon",
            ]
            .map { #"{"from":"\#($0)","to":"07:00"}"# } + [#"{"from":1,"to":"07:00"}"#, #"{"from":null,"to":"07:00"}"#])

    static let timeZone = FieldForm(
        good: quoted(["Europe/Berlin", "UTC", "Etc/GMT+5", "America/Argentina/Buenos_Aires", #"Europe\/Berlin"#]),
        bad: notStrings
            + quoted([
                "", "/etc/passwd", "../../etc", "Europe Berlin", #"UTC\u0000"#, "Zürich",
                String(repeating: "x", count: 65),
            ]))

    static let recipientKeys: FieldForm = {
        func element(_ user: Int, _ key: Int = 48) -> String {
            #"{"user_id":"u\#(user)","device_id":"d","encrypted_key":\#(quoted(count: key))}"#
        }
        func list(_ elements: [String]) -> String { "[\(elements.joined(separator: ","))]" }
        let key = quoted(count: 48)
        return FieldForm(
            good: [
                "[]", list([element(1)]), list([element(1, 16), element(2, 256)]), list((0..<128).map { element($0) }),
                #"[{"user_id":"u","device_id":"d","encrypted_key":\#(key),"key_id":\#(quoted(count: 8))}]"#,
            ],
            bad: [
                "1", "true", "{}", #""x""#, "[1]", "[null]", "[[]]", "[{}]", list([element(1), element(1)]),
                list([element(1, 15)]), #"[{"user_id":"u","device_id":"d"}]"#,
                #"[{"user_id":"u","encrypted_key":\#(key)}]"#,
                #"[{"device_id":"d","encrypted_key":\#(key)}]"#,
                #"[{"user_id":"u","device_id":"d","encrypted_key":null}]"#,
                #"[{"user_id":"u/v","device_id":"d","encrypted_key":\#(key)}]"#,
                #"[{"user_id":"u","device_id":"d","encrypted_key":"?"}]"#,
            ]
                + [quoted(count: 7), quoted(count: 9), #""""#, "1"].map {
                    #"[{"user_id":"u","device_id":"d","encrypted_key":\#(key),"key_id":\#($0)}]"#
                },
            tooLarge: [list((0..<129).map { element($0) }), list([element(1, 257)])])
    }()

    /// A text that no token is spelled like is a token that opens nothing.
    static let inviteToken = FieldForm(
        good: quoted(["AAAAAAAAAAAAAAAAAAAAAA", "-_-_-_-_-_-_-_-_-_-_-Q", #"\u0041AAAAAAAAAAAAAAAAAAAAA"#]),
        bad: notStrings + [#""a\u0000""#],
        invalid: quoted([
            "", "x", "AAAAAAAAAAAAAAAAAAAAA", "AAAAAAAAAAAAAAAAAAAAAAA", "AAAAAAAAAAAAAAAAAAAAAB",
            "AAAAAAAAAAAAAAAAAAAAA=",
            "AAAAAAAAAAAAAAAAAAAAA+", "é", String(repeating: "A", count: 10_000),
        ]))

    static func choice<Choice: RawRepresentable<String> & CaseIterable>(_: Choice.Type) -> FieldForm {
        let names = Choice.allCases.map(\.rawValue)
        return FieldForm(
            good: quoted(names),
            bad: notStrings + quoted(["", "x", "system"] + names.flatMap { ["\($0) ", $0.uppercased()] }))
    }

    /// One of some names, where the others would need other fields to change too.
    static func one(_ json: String, ofNames: Bool) -> FieldForm {
        FieldForm(good: [json], bad: notStrings + quoted(["", "x", json.uppercased().filter { $0 != "\"" }]))
    }

    static func integer(_ range: ClosedRange<Int>) -> FieldForm {
        let (low, high) = (range.lowerBound, range.upperBound)
        return FieldForm(
            good: ["\(low)", "\(high)", "\(low).0", "\(high).00", "1e0", "10e-1"],
            bad: [
                "\(low - 1)", "\(high + 1)", "\(low).5", "-1", "1e400", "-1e400", "9223372036854775808", #""\#(low)""#,
                "true", "[]", "{}", "[\(low)]",
            ])
    }

    static func text(_ maximum: Int) -> FieldForm {
        FieldForm(
            good: quoted(["x", "Ünïcode 😀", #"\u00e9"#, String(repeating: "x", count: maximum)]),
            bad: notStrings + quoted([String(repeating: "x", count: maximum + 1), #"a\u0000b"#]))
    }

    /// Bytes in base64; of a fixed length any other is a bad request, else more than the most is too large.
    static func bytes(_ lengths: ClosedRange<Int>) -> FieldForm {
        let (low, high) = (lengths.lowerBound, lengths.upperBound)
        let above = [quoted(count: high + 1)]
        return FieldForm(
            good: [quoted(count: low), quoted(count: high)],
            bad: notStrings + (low == high ? above : []) + [quoted(count: low - 1), quoted(count: 0)]
                + quoted(["Zg", "Zh==", "Zm9v!", "-_-_", "Zm9v\\n", " Zm9v"]),
            tooLarge: low == high ? [] : above)
    }
}
