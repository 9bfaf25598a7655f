import ParleyProtocol

/// A request whose bytes are chosen to cost its reader as much as they can, as long as a request may be.
struct HostilePayload {
    let name: String
    let type: any Request.Type
    let bytes: [UInt8]

    /// The payload begins with `head`, ends with `tail`, and has as many pieces between them as there is room for.
    init(
        _ name: String, _ type: any Request.Type = ProfileChange.self, head: String = #"{"x":["#, tail: String = "]}",
        separator: String = ",", piece: (Int) -> String
    ) {
        self.init(name, type, head: head, tail: Array(tail.utf8), separator: separator) { Array(piece($0).utf8) }
    }

    init(
        _ name: String, _ type: any Request.Type, head: String, tail: [UInt8], separator: String,
        piece: (Int) -> [UInt8]
    ) {
        self.name = name
        self.type = type
        var bytes = Array(head.utf8)
        var number = 0
        while true {
            let next = (number == 0 ? [] : Array(separator.utf8)) + piece(number)
            guard bytes.count + next.count + tail.count <= Limits.requestBytes else { break }
            bytes += next
            number += 1
        }
        self.bytes = bytes + tail
    }

    /// All kinds that are known to be dear.
    static let all = containers + objects + tables + strings + scalars + fields

    private static let containers = [
        HostilePayload("empty arrays") { _ in "[]" },
        HostilePayload("empty objects") { _ in "{}" },
        HostilePayload("arrays of one") { _ in "[0]" },
        HostilePayload("arrays 14 deep") { _ in String(repeating: "[", count: 14) + String(repeating: "]", count: 14) },
        HostilePayload("objects 14 deep") { _ in
            String(repeating: #"{"":"#, count: 14) + "0" + String(repeating: "}", count: 14)
        },
        HostilePayload("mixed 14 deep") { _ in
            String(repeating: #"[{"a":"#, count: 7) + "0" + String(repeating: "}]", count: 7)
        },
    ]

    private static func object(of count: Int, _ key: (Int) -> String) -> String {
        "{" + (0..<count).map { "\"\(key($0))\":0" }.joined(separator: ",") + "}"
    }

    /// A key that differs from another's in its last characters alone.
    private static func key(_ number: Int, length: Int = 0) -> String {
        let digits = String(number, radix: 36)
        return String(repeating: "a", count: max(0, length - digits.utf8.count)) + digits
    }

    /// A text with each of its characters escaped by its number.
    private static func escaped(_ text: String) -> String {
        text.utf8.map { #"\u00"# + ($0 < 16 ? "0" : "") + String($0, radix: 16) }.joined()
    }

    private static let objects = [
        HostilePayload("objects of one") { _ in #"{"a":0}"# },
        HostilePayload("objects of 8") { _ in object(of: 8) { key($0) } },
        HostilePayload("objects of 64") { _ in object(of: 64) { key($0) } },
        HostilePayload("objects of 64, keys of 9") { _ in object(of: 64) { key($0, length: 9) } },
        HostilePayload("objects of 64, keys of 100") { _ in object(of: 64) { key($0, length: 100) } },
        HostilePayload("objects of 64, keys escaped") { _ in object(of: 64) { escaped(key($0)) } },
        HostilePayload("objects of 64, keys of short escapes") { _ in
            object(of: 64) { ["n", "r", "t", "b", "f", "/", "\\", "\""][$0 % 8].withBackslash + key($0 / 8) }
        },
        HostilePayload("17,000 members, keys escaped", head: "{", tail: "}") { "\"\(escaped(key($0)))\":0" },
        HostilePayload("40,000 members", head: "{", tail: "}") { "\"\(key($0))\":0" },
        HostilePayload("64 members, keys of 4,000", head: "{", tail: "}") { "\"\(key($0, length: 4000))\":0" },
    ]

    private static func id(_ number: Int) -> String {
        let digits = String(number, radix: 16)
        return "00000000-0000-4000-8000-" + String(repeating: "0", count: 12 - digits.utf8.count) + digits
    }

    private static let tables = [
        HostilePayload("cursors", SyncRequest.self, head: #"{"cursors":{"#, tail: "}}") {
            #""\#(id($0))":{"epoch":"abcdef","seq":\#($0)}"#
        },
        HostilePayload("cursors, shortest", SyncRequest.self, head: #"{"cursors":{"#, tail: "}}") {
            #""\#(id($0))":{"epoch":"","seq":0}"#
        },
        HostilePayload("cursors, odd numbers", SyncRequest.self, head: #"{"cursors":{"#, tail: "}}") {
            #""\#(id($0))":{"epoch":"","seq":100e-2}"#
        },
        HostilePayload("cursors, escaped", SyncRequest.self, head: #"{"cursors":{"#, tail: "}}") {
            #""\#(escaped(id($0)))":{"\u0065poch":"\u0061\u0062","\u0073eq":1}"#
        },
        HostilePayload("cursors, other members", SyncRequest.self, head: #"{"cursors":{"#, tail: "}}") { number in
            let others = object(of: 62) { key($0) }.dropFirst().dropLast()
            return #""\#(id(number))":{\#(others),"epoch":"","seq":0}"#
        },
        HostilePayload("cursors, other members like theirs", SyncRequest.self, head: #"{"cursors":{"#, tail: "}}") {
            number in
            let others = object(of: 62) { "s" + key($0 + 36) }.dropFirst().dropLast()
            return #""\#(id(number))":{\#(others),"epoch":"","seq":0}"#
        },
        HostilePayload("cursors, short names", SyncRequest.self, head: #"{"cursors":{"#, tail: "}}") {
            "\"\(key($0))\":0"
        },
        HostilePayload("cursors, one bad at the end", SyncRequest.self, head: #"{"cursors":{"#, tail: #","x":0}}"#) {
            #""\#(id($0))":{"epoch":"","seq":0}"#
        },
        HostilePayload(
            "cursors, the first again at the end", SyncRequest.self, head: #"{"cursors":{"#, tail: #","\#(id(0))":0}}"#
        ) {
            #""\#(id($0))":{"epoch":"","seq":0}"#
        },
    ]

    private static func text(
        _ name: String, _ type: any Request.Type = ProfileChange.self, field: String = "x",
        piece: @escaping (Int) -> String
    ) -> HostilePayload {
        HostilePayload(name, type, head: "{\"\(field)\":\"", tail: "\"}", separator: "", piece: piece)
    }

    private static let strings = [
        HostilePayload("empty strings") { _ in #""""# },
        HostilePayload("strings of one") { _ in #""a""# },
        HostilePayload("strings of nine") { _ in #""aaaaaaaaa""# },
        HostilePayload("strings of one escape") { _ in #""\n""# },
        text("plain") { _ in "a" },
        text("two bytes a character") { _ in "é" },
        text("three bytes a character") { _ in "€" },
        text("four bytes a character") { _ in "😀" },
        text("one and two bytes by turns") { _ in "aé" },
        text("one to four bytes by turns") { _ in "aé€😀" },
        HostilePayload(
            "not UTF-8 at the end", ProfileChange.self, head: #"{"x":""#, tail: [0xFF, 0x22, 0x7D], separator: ""
        ) {
            _ in Array("é".utf8)
        },
        text("short escapes") { _ in #"\n"# },
        text("numbered escapes") { _ in #"\u0061"# },
        text("escapes by turns") { _ in #"a\n"# },
        text("pairs of surrogates") { _ in #"\ud83d\ude00"# },
    ]

    private static let scalars = [
        HostilePayload("digits") { _ in "0" },
        HostilePayload("negative") { _ in "-1" },
        HostilePayload("fractions") { _ in "-0.1e+1" },
        HostilePayload("one long number", separator: "") { _ in "1" },
        HostilePayload("one long fraction", head: #"{"x":[0."#, separator: "") { _ in "1" },
        HostilePayload("true") { _ in "true" },
        HostilePayload("false and null") { $0 % 2 == 0 ? "false" : "null" },
        HostilePayload("white space", separator: "") { _ in " " },
        HostilePayload("white space between") { _ in " 0 " },
    ]

    private static let sealed =
        #"{"id":"\#(id(0))","conversation_id":"\#(id(0))","message_type":"text","suite":"nacl-box","#
        + #""encrypted_content":""#
    private static let recipients =
        sealed + #"AAAAAAAAAAAAAAAAAAAAAA==","nonce":"AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA","recipient_keys":["#

    /// Fields that are read, holding too much.
    private static let fields = [
        text("display_name, plain", field: "display_name") { _ in "a" },
        text("display_name, escaped", field: "display_name") { _ in #"\u0061"# },
        text("display_name, short escapes", field: "display_name") { _ in #"\n"# },
        text("display_name, by turns", field: "display_name") { _ in #"a\n"# },
        text("display_name, pairs", field: "display_name") { _ in #"\ud83d\ude00"# },
        text("request_id, escaped", field: "request_id") { _ in #"\u0061"# },
        text("user_id, escaped", GetProfile.self, field: "user_id") { _ in #"\u0061"# },
        text("message_privacy, escaped", field: "message_privacy") { _ in #"\u0061"# },
        HostilePayload("limit, one long number", head: #"{"limit":"#, tail: "}", separator: "") { _ in "1" },
        HostilePayload(
            "evidence", CreateReport.self,
            head: #"{"id":"\#(id(0))","message_id":"\#(id(0))","reason":"","evidence":["#
        ) { _ in "[]" },
        HostilePayload("encrypted_content, escaped", SendMessage.self, head: sealed, tail: "\"}", separator: "") { _ in
            #"\u0041"#
        },
        HostilePayload(
            "recipient_keys, 128 large", SendMessage.self, head: recipients
        ) { number in
            let others = object(of: 61) { key($0, length: 27) }.dropFirst().dropLast()
            return #"{\#(others),"user_id":"u\#(number)","device_id":"d","encrypted_key":"AAAAAAAAAAAAAAAAAAAAAA=="}"#
        },
        HostilePayload("recipient_keys, many", SendMessage.self, head: recipients) { _ in "{}" },
        HostilePayload(
            "participant_ids, many", CreateConversation.self, head: #"{"type":"group","participant_ids":["#
        ) { _ in #""a""# },
        HostilePayload(
            "participant_ids, long", CreateConversation.self, head: #"{"type":"group","participant_ids":["#
        ) { _ in "\"" + String(repeating: #"\u0061"#, count: 300) + "\"" },
    ]
}

extension String {
    fileprivate var withBackslash: String { "\\" + self }
}
