import Foundation
import ParleyProtocol
import TestSupport
import Testing

@Suite("Records as a device reads them", .seeded)
struct MessageRecordTests {
    static func same(_ read: MessageRecord, _ record: MessageRecord, _ status: MessageStatus?) -> Bool {
        read.id == record.id && read.conversation == record.conversation
            && read.epoch.utf8.elementsEqual(record.epoch.utf8) && read.seq == record.seq
            && read.kind == record.kind && read.target == record.target && read.sender == record.sender
            && read.type == record.type && read.suite == record.suite
            && read.content == record.content && read.nonce == record.nonce
            && read.recipientKeysJSON == record.recipientKeysJSON && read.replyTo == record.replyTo
            // A change disappears with its message, and says nothing of it.
            && read.expiresAt == (record.kind == .known(.message) ? record.expiresAt : nil)
            && read.createdAt == record.createdAt && read.system == nil
            && read.status == status.map(Named.known)
    }

    @Test("what the gateway writes is read as the same record, and written again byte for byte")
    func roundTrip() throws {
        var generator = Seeded(stream: 70)
        for _ in 0..<1_500 {
            let record = try generator.record()
            let status = generator.chance(0.5) ? try generator.element(MessageStatus.allCases) : nil
            let bytes = JSONWriter.bytes { record.write(to: &$0, status: status) }
            let read = try MessageRecord(json: bytes)
            #expect(Self.same(read, record, status), "\(String(decoding: bytes, as: UTF8.self))")
            #expect(JSONWriter.bytes { read.write(to: &$0) } == bytes)
        }
    }

    @Test("in any spelling, and among members of a later version")
    func respelled() throws {
        var generator = Seeded(stream: 71)
        for _ in 0..<500 {
            let record = try generator.record()
            let bytes = JSONWriter.bytes { record.write(to: &$0) }
            let read = try MessageRecord(json: try generator.respelled(Data(bytes)))
            #expect(Self.same(read, record, nil))
        }
    }

    /// A record as JSON, with one member in another form.
    private static func json(_ name: String = "", _ value: String? = nil) -> [UInt8] {
        let members = [
            ("id", #""0b0c6a52-6f2c-4c1e-9a51-0d2b1a2f3c4d""#),
            ("conversation_id", #""7f31a1de-0c7a-4b58-9d2c-1f2e3d4c5b6a""#), ("epoch", #""k3Jx9w""#), ("seq", "42"),
            ("kind", #""message""#), ("target_id", "null"), ("sender_id", #""alice""#),
            ("sender_device_id", #""phone""#), ("message_type", #""text""#), ("suite", #""nacl-box""#),
            ("encrypted_content", #""AAAA""#), ("nonce", #""AAAA""#), ("recipient_keys", "null"), ("reply_to", "null"),
            ("expires_at", "null"), ("created_at", #""2026-01-15T09:30:00.000Z""#),
        ]
        let kept = members.filter { $0.0 != name } + (value.map { [(name, $0)] } ?? [])
        return Array("{\(kept.map { #""\#($0.0)":\#($0.1)"# }.joined(separator: ","))}".utf8)
    }

    @Test("names of a later version are kept by their names, and written again")
    func laterNames() throws {
        let record = try MessageRecord(json: Self.json("message_type", #""sticker""#))
        #expect(record.type == .unknown("sticker") && record.type.value == nil && record.type.name == "sticker")
        #expect(try MessageRecord(json: Self.json("kind", #""pin""#)).kind == .unknown("pin"))
        #expect(try MessageRecord(json: Self.json("suite", #""mls""#)).suite == .unknown("mls"))
        #expect(try MessageRecord(json: Self.json("status", #""seen""#)).status == .unknown("seen"))
        #expect(try MessageRecord(json: Self.json("kind")).kind == .known(.message))
        #expect(
            try MessageRecord(json: JSONWriter.bytes { record.write(to: &$0) }) == record)
    }

    @Test("a message of the gateway's own says what happened, to whom and by whom")
    func system() throws {
        let notice = #"{"event":"member.added","user_id":"bob","by":"alice"}"#
        let record = try MessageRecord(json: Self.json("system", notice))
        #expect(
            record.system?.value
                == SystemNotice(
                    event: "member.added", user: UserID(validated: "bob"), by: UserID(validated: "alice")))
        #expect(String(decoding: JSONWriter.bytes { record.write(to: &$0) }, as: UTF8.self).contains(notice))
        #expect(try MessageRecord(json: Self.json("system", #"{"event":"x"}"#)).system?.value?.user == nil)
    }

    @Test("how long a message lives is told in the seconds that its sender had asked for")
    func expiresIn() throws {
        #expect(try MessageRecord(json: Self.json()).expiresIn == nil)
        let record = try MessageRecord(json: Self.json("expires_at", #""2026-01-15T10:30:00.000Z""#))
        #expect(record.expiresIn == 3600)
    }

    @Test(
        "what a field cannot hold is a fault that names it, and so is a field that is missing",
        arguments: [
            "id", "conversation_id", "epoch", "seq", "sender_id", "sender_device_id", "message_type", "created_at",
        ])
    func required(field: String) {
        for value in [nil, "null", "[]", "{}", "-1", #""\u0000""#, "true"] {
            let fault = #expect(throws: ReadingError.self) { try MessageRecord(json: Self.json(field, value)) }
            guard case .field(let problem)? = fault else {
                Issue.record("\(field): \(value ?? "nothing"): \(String(describing: fault))")
                continue
            }
            #expect(problem.hasPrefix("\(field): "))
        }
        #expect(throws: Never.self) { try MessageRecord(json: Self.json()) }
    }

    @Test(
        "a field that may be left out may not be of another kind",
        arguments: [
            "kind", "target_id", "suite", "encrypted_content", "nonce", "recipient_keys", "reply_to", "expires_at",
            "system", "status",
        ])
    func optional(field: String) {
        #expect(throws: Never.self) { try MessageRecord(json: Self.json(field, "null")) }
        for value in ["1", "true", "[1]", #"[{"user_id":"a"}]"#, #"{"x":1}"#, #""\ud83d\ude00*""#] {
            // A name may be anything that is short.
            if value.hasPrefix("\""), ["kind", "suite", "status"].contains(field) { continue }
            #expect(throws: ReadingError.self, "\(field): \(value)") {
                try MessageRecord(json: Self.json(field, value))
            }
        }
    }

    @Test("a page is read as the records and the summary that were written")
    func page() throws {
        var generator = Seeded(stream: 72)
        for _ in 0..<150 {
            let (summary, records) = try generator.page()
            let messages = records.map { record in JSONWriter.bytes { record.write(to: &$0) } }
            let bytes = JSONWriter.bytes {
                HistoryReply(.json(Array(messages.joined(separator: [0x2C]))), summary: summary).write(to: &$0)
            }
            let read = try HistoryReply(json: bytes)
            #expect(read.summary == summary && read.messages.count == records.count)
            #expect(zip(read.messages, records).allSatisfy { Self.same($0, $1, nil) })
        }
    }

    @Test("no mutated page traps, and what is still taken is written as it was read")
    func mutated() throws {
        var generator = Seeded(stream: 73)
        var taken = 0
        for _ in 0..<4_000 {
            let record = try generator.record()
            var bytes = Array(#"{"messages":["#.utf8) + JSONWriter.bytes { record.write(to: &$0) }
            bytes += Array(
                #"],"has_more":false,"epoch":"e","last_seq":1,"found_oldest":true,"found_newest":true}"#.utf8)
            generator.mutate(&bytes)
            guard let page = try? HistoryReply(json: bytes) else { continue }
            taken += 1
            for record in page.messages {
                let again = try MessageRecord(json: JSONWriter.bytes { record.write(to: &$0) })
                #expect(again == record)
            }
        }
        #expect(taken > 40)
    }
}
