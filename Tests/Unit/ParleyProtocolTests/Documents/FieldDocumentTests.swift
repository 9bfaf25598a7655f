import Foundation
import ParleyProtocol
import TestSupport
import Testing

@Suite("docs/topics.md and docs/protocol.md against the lists of fields")
struct FieldDocumentTests {
    @Test("the table of operations is what the gateway answers, and their fields are those of the requests' lists")
    func operationTable() throws {
        let rows = try OperationTable.all.map { kind in
            let fields = try kind.fields
            let notation = Self.notations["\(kind.operation)"] ?? fields.joined(separator: ", ")
            if kind != RenewDevice.self {
                let words = notation.split { !($0.isLetter || $0.isNumber || $0 == "_") }
                #expect(
                    fields.allSatisfy { words.contains($0.prefix { $0.isLetter || $0 == "_" }) }, "\(kind.operation)")
            }
            return [
                "`\(kind.operation)`", notation.isEmpty ? "" : "`\(notation)`", Self.name(of: kind.askers),
            ]
        }
        try Document("topics.md").expect("operations", is: table(["area/verb", "request", "for"], rows))
    }

    private static func name(of askers: Askers) -> String {
        switch askers {
        case .everyone: ""
        case .operators: "operators"
        case .doors, .doorsAlone: "doors"
        }
    }

    /// Where a list of names says too little.
    private static let notations = [
        "history/get": "conversation_id, limit?=50, and at most one of before?, after?, around?",
        "sync/get": "limit?=200, cursor?, cursors: {conversation_id: {epoch, seq}}",
        "notifications/mark-read": "ids or all",
        "reports/create": "id, reason, message_id or user_id, evidence?",
        "devices/renew": "",
        "account/link": "id, email? and password?, or provider?, id_token?, nonce?, current?",
        "accounts/sign-in-with":
            "id, address, provider, id_token, nonce?, user_id?, display_name?, invite?, device_id?, device_name?",
        "push/register":
            "provider:\"apns\"｜\"fcm\"｜\"webpush\"｜\"webhook\", endpoint? and secret?, endpoint?, p256dh? and auth?, token? and topic?, or token?",
    ]

    @Test("the table of objects has the fields of the objects' lists, and no others", arguments: objects)
    func objectTable(row: String, type: any GatewayObject.Type) throws {
        let code = try Document("protocol.md").code(inRow: row)
        func name(_ text: some StringProtocol) -> String {
            String(text.prefix { $0.isLetter || $0.isNumber || $0 == "_" })
        }
        let names = Set(try type.init(members: JSONObject(Self.everything)).fields.map(name))
        let words = Set(code.flatMap { $0.split { !($0.isLetter || $0.isNumber || $0 == "_") } }.map(String.init))
        #expect(names.isSubset(of: words), "not named: \(names.subtracting(words))")
        let lists = code.filter { $0.contains(", ") && !$0.hasPrefix("{") }
        let listed = lists.flatMap { $0.components(separatedBy: ", ") }.filter { !$0.isEmpty }
        #expect(Set(listed.map(name)).isSubset(of: names), "not there: \(Set(listed.map(name)).subtracting(names))")
    }

    private static let objects: [(String, any GatewayObject.Type)] = [
        ("record", MessageRecord.self), ("conversation", Conversation.self), ("member", Member.self),
        ("group", TrainingGroup.self), ("invite", Invite.self), ("device keys", DeviceKeys.self),
        ("recipient key", RecipientKey.self), ("device", ListedDevice.self), ("day", DayMetrics.self),
        ("challenge", Challenge.self), ("report (for operators)", Report.self), ("activity item", ActivityItem.self),
        ("blob", Blob.self),
        ("notification", FeedNotification.self), ("profile", ShownProfile.self),
    ]

    /// Whatever some object must have.
    private static let everything: String = {
        func members(_ names: String, _ json: String) -> String {
            names.split(separator: " ").map { #""\#($0)":\#(json),"# }.joined()
        }
        let key = Base64.encode([UInt8](repeating: 1, count: 32))
        return "{" + members("id conversation_id group_id", #""0b0c6a52-6f2c-4c1e-9a51-0d2b1a2f3c4d""#)
            + members("created_at updated_at joined_at expires_at timestamp", #""2026-01-15T09:30:00.000Z""#)
            + members("user_id sender_id device_id sender_device_id created_by reporter_id challenger_id", #""a""#)
            + members("challenged_id epoch type message_type name username role title status reason", #""a""#)
            + members("display_name time_zone message_privacy presence", #""a""#)
            + members("seq last_seq unread_count badge member_count version target duration_days", "1")
            + members("size", "17")
            + members("has_keys is_current is_read is_muted share_workout_data send_read_receipts send_typing", "true")
            + members("members implausible", "[]") + members("progress metadata reactions", "{}")
            + members("identity_key encrypted_key digest", #""\#(key)""#) + #""date":"2026-01-15"}"#
    }()
}

extension GatewayObject {
    fileprivate var fields: [String] { TestSupport.fields(of: self) }
}
