import ParleyProtocol

/// What a field may hold, as JSON text.
package struct FieldValues: Sendable {
    package let good: [String]
    package let bad: [(json: String, code: ErrorCode)]

    init(good: [String], bad: [String], tooLarge: [String] = [], invalid: [String] = []) {
        self.good = good
        self.bad =
            bad.map { ($0, .badRequest) } + tooLarge.map { ($0, .tooLarge) } + invalid.map { ($0, .inviteInvalid) }
    }

    static let notStrings = ["1", "0.5", "true", "false", "[]", "{}", #"["x"]"#, #"{"x":"y"}"#]

    static func quoted(_ texts: [String]) -> [String] { texts.map { #""\#($0)""# } }

    private static func quoted(count: Int) -> String {
        #""\#(Base64.encode([UInt8](repeating: 7, count: count)))""#
    }

    static let uuid = FieldValues(
        good: quoted(["0b0c6a52-6f2c-4c1e-9a51-0d2b1a2f3c4d", #"0b0c6a52\u002d6f2c-4c1e-9a51-0d2b1a2f3c4d"#]),
        bad: notStrings
            + quoted([
                "", "x", "0B0C6A52-6F2C-4C1E-9A51-0D2B1A2F3C4D", "0b0c6a52-6f2c-4c1e-9a51-0d2b1a2f3c4",
                #"0b0c6a52-6f2c-4c1e-9a51-0d2b1a2f3c4d\n"#, "{0b0c6a52-6f2c-4c1e-9a51-0d2b1a2f3c4d}",
            ]))

    static let flatObject = FieldValues(
        good: ["{}", #"{"days":7,"unit":"km","is_new":true,"note":null,"long":1.5e3}"#, #"{ "a" : "\u00e9" }"#],
        bad: ["1", "true", "[]", #""x""#, #"{"a":{}}"#, #"{"a":[]}"#, #"{"a":1,"b":{"c":1}}"#],
        tooLarge: [#"{"a":"\#(String(repeating: "x", count: 4096))"}"#])

    static let emoji = FieldValues(
        good: quoted(["👏", "❤️", "1️⃣", "🏳️‍🌈", "👩🏻‍❤️‍💋‍👨🏿", "🇩🇪", #"\ud83d\ude00"#]),
        bad: notStrings + quoted(["", "x", "1", "#", "👏👏", "👏 ", "é", #"👏\u0000"#, "❤", "日"]))

    static let uuids: FieldValues = {
        let id = #""0b0c6a52-6f2c-4c1e-9a51-0d2b1a2f3c4d""#
        func list(_ count: Int) -> String { "[\(Array(repeating: id, count: count).joined(separator: ","))]" }
        return FieldValues(
            good: ["[]", list(1), list(200)],
            bad: ["1", "true", "{}", id, "[1]", "[null]", "[[]]", #"["x"]"#, "[\(id),{}]"], tooLarge: [list(201)])
    }()

    /// Ids that differ from each other.
    static let distinctUUIDs: FieldValues = {
        func list(_ count: Int) -> String {
            let ids = (0..<count).map { #""0b0c6a52-6f2c-4c1e-9a51-0d2b1a2f3c\#(40 + $0)""# }
            return "[\(ids.joined(separator: ","))]"
        }
        let twice = list(1).dropLast() + "," + list(1).dropFirst()
        return FieldValues(
            good: ["[]", list(1), list(Limits.blobsOfMessage)],
            bad: ["1", "true", "{}", #""x""#, "[1]", "[null]", #"["x"]"#, String(twice)],
            tooLarge: [list(Limits.blobsOfMessage + 1)])
    }()

    static let level = FieldValues(
        good: quoted(["a", "A_b-9", String(repeating: "x", count: 64), #"\u0061lice"#]),
        bad: notStrings
            + quoted([
                "", String(repeating: "x", count: 65), "a/b", "a+b", "#", "a b", "a:b", "ı", "é", #"a\u0000"#, #"a\/b"#,
            ]))

    static let levels = FieldValues(
        good: ["[]", #"["bob"]"#, #"["bob","carol","bob"]"#],
        bad: ["1", "true", "{}", #""bob""#, "[1]", "[null]", "[[]]", #"["a/b"]"#, #"[""]"#, #"["bob",{}]"#])

    static let someLevels = FieldValues(good: levels.good.filter { $0 != "[]" }, bad: levels.bad.map(\.json) + ["[]"])

    static let time = FieldValues(
        good: quoted(["2026-01-15T09:30:00.000Z", "1970-01-01T00:00:00.000Z"]),
        bad: notStrings
            + quoted([
                "", "x", "2026-01-15", "2026-01-15T09:30:00Z", "2026-02-30T09:30:00.000Z", "2026-01-15T09:30:00.000",
            ]))

    static let cursors = FieldValues(
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
    static let json = FieldValues(
        good: ["1", "true", "[]", #""x""#, #"{"content_key":"AAAA","content":{"text":"\u00e9"}}"#], bad: [],
        tooLarge: [#""\#(String(repeating: "x", count: 96 * 1024))""#])

    static let week = FieldValues(
        good: quoted(["2026-W03", "2020-W53", #"2026\u002dW03"#]),
        bad: notStrings + quoted(["", "2026-W00", "2025-W53", "2026-w03", "2026W03", "2026-W3", "2026-W03-1", "W03"]))

    static let bool = FieldValues(
        good: ["true", "false"], bad: ["0", "1", #""true""#, "[]", "{}", "[true]"])

    static let point = FieldValues(
        good: ["0", "42", "4.2e1", "9223372036854775807", #""0b0c6a52-6f2c-4c1e-9a51-0d2b1a2f3c4d""#],
        bad: ["-1", "1.5", "9223372036854775808", "1e400", "true", "[]", "{}", #""42""#, #""""#, #""x""#])

    static let day = FieldValues(
        good: quoted(["2026-01-15", "2024-02-29", "1970-01-01"]),
        bad: notStrings
            + quoted([
                "", "x", "2026-1-15", "2026-02-29", "2026-13-01", "2026-00-10", "2026-01-00", "26-01-15", "2026-01-150",
                "2026/01/15", "2026-01-15T09:30:00.000Z", " 2026-01-15", "+026-01-15",
            ]))

    static let quietHours = FieldValues(
        good: [#"{"from":"22:00","to":"07:00"}"#, #"{"from":"00:00","to":"23:59","x":1}"#],
        bad: ["1", "true", "[]", "{}", #""22:00""#, #"{"from":"22:00"}"#, #"{"to":"22:00"}"#]
            + [
                "24:00", "2:00", "22:60", "22-00", "-0:00", "+1:00", "22:-1", "22:+1", " 2:00", "22:0", "２2:0", "",
                "noon",
            ]
            .map { #"{"from":"\#($0)","to":"07:00"}"# } + [#"{"from":1,"to":"07:00"}"#, #"{"from":null,"to":"07:00"}"#])

    static let timeZone = FieldValues(
        good: quoted(["Europe/Berlin", "UTC", "Etc/GMT+5", "America/Argentina/Buenos_Aires", #"Europe\/Berlin"#]),
        bad: notStrings
            + quoted([
                "", "/etc/passwd", "../../etc", "Europe Berlin", #"UTC\u0000"#, "Zürich",
                String(repeating: "x", count: 65),
            ]))

    static let recipientKeys: FieldValues = {
        func element(_ user: Int, _ key: Int = 48) -> String {
            #"{"user_id":"u\#(user)","device_id":"d","encrypted_key":\#(quoted(count: key))}"#
        }
        func list(_ elements: [String]) -> String { "[\(elements.joined(separator: ","))]" }
        let key = quoted(count: 48)
        return FieldValues(
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

    static let endpoint = FieldValues(
        good: quoted([
            "https://push.example/x", "https://push.example", "http://127.0.0.1:8080/?a=%20b",
            #"https:\/\/[2001:db8::1]:1/"#,
            "https://push.example/" + String(repeating: "x", count: 2048 - 21),
        ]),
        bad: notStrings
            + quoted([
                "", "x", "push.example/x", "ftp://push.example/", "HTTPS://push.example/", "https://", "https:///x",
                "https://user@push.example/", "https://push.example/#x", "https://push.example/ x", "https://é/",
                "https://push.example:0/", "https://push.example:65536/", "https://push.example:+1/",
                "https://[::1/", "https://[]/", #"https://push.example/\u0000"#, #"https://push.example/\n"#,
                "https://push.example/" + String(repeating: "x", count: 2048 - 20),
            ]))

    static let secret = FieldValues(
        good: quoted([
            String(repeating: "x", count: 16), String(repeating: "é", count: 16), String(repeating: "x", count: 256),
        ]),
        bad: notStrings
            + quoted([
                "", String(repeating: "x", count: 15), String(repeating: "x", count: 257), #"0123456789abcdef\u0000"#,
            ]))

    /// A text that no token is spelled like is a token that opens nothing.
    static let inviteToken = FieldValues(
        good: quoted(["AAAAAAAAAAAAAAAAAAAAAA", "-_-_-_-_-_-_-_-_-_-_-Q", #"\u0041AAAAAAAAAAAAAAAAAAAAA"#]),
        bad: notStrings + [#""a\u0000""#],
        invalid: quoted([
            "", "x", "AAAAAAAAAAAAAAAAAAAAA", "AAAAAAAAAAAAAAAAAAAAAAA", "AAAAAAAAAAAAAAAAAAAAAB",
            "AAAAAAAAAAAAAAAAAAAAA=",
            "AAAAAAAAAAAAAAAAAAAAA+", "é", String(repeating: "A", count: 10_000),
        ]))

    static func choice<Choice: RawRepresentable<String> & CaseIterable>(_: Choice.Type) -> FieldValues {
        let names = Choice.allCases.map(\.rawValue)
        return FieldValues(
            good: quoted(names),
            bad: notStrings + quoted(["", "x", "system"] + names.flatMap { ["\($0) ", $0.uppercased()] }))
    }

    /// One of some names, where the others would need other fields to change too.
    static func one(_ json: String, ofNames: Bool) -> FieldValues {
        FieldValues(good: [json], bad: notStrings + quoted(["", "x", json.uppercased().filter { $0 != "\"" }]))
    }

    static func integer(_ range: ClosedRange<Int>) -> FieldValues {
        let (low, high) = (range.lowerBound, range.upperBound)
        return FieldValues(
            good: [
                "\(low)", "\(high)", "\(low).0", "\(high).00", "\(low)e0", low == 0 ? "0e-1" : "\(low)0e-1",
            ],
            bad: [
                "\(low - 1)", "\(high + 1)", "\(low).5", "-1", "1e400", "-1e400", "9223372036854775808", #""\#(low)""#,
                "true", "[]", "{}", "[\(low)]",
            ])
    }

    static func text(_ maximum: Int) -> FieldValues {
        FieldValues(
            good: quoted(["x", "Ünïcode 😀", #"\u00e9\"\\\/\n\u0001\u2028"#, String(repeating: "x", count: maximum)]),
            bad: notStrings + quoted([String(repeating: "x", count: maximum + 1), #"a\u0000b"#]))
    }

    /// Bytes in base64; of a fixed length any other is a bad request, else more than the most is too large.
    static func bytes(_ lengths: ClosedRange<Int>) -> FieldValues {
        let (low, high) = (lengths.lowerBound, lengths.upperBound)
        let above = [quoted(count: high + 1)]
        return FieldValues(
            good: [quoted(count: low), quoted(count: high)],
            bad: notStrings + (low == high ? above : []) + [quoted(count: low - 1), quoted(count: 0)]
                + quoted(["Zg", "Zh==", "Zm9v!", "-_-_", "Zm9v\\n", " Zm9v"]),
            tooLarge: low == high ? [] : above)
    }
}
