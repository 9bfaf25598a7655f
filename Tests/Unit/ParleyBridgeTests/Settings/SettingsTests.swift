import ParleyProtocol
import TestNames
import Testing

@testable import ParleyBridge

@Suite("Settings")
struct SettingsTests {
    private func problems(_ text: String, _ environment: [String: String] = [:]) -> [String] {
        do throws(SettingsError) {
            _ = try Settings(parsing: Array(text.utf8), environment: environment)
            return []
        } catch {
            return error.problems.map { $0.sentence(in: "parleyd.json") }
        }
    }

    @Test("nothing named is nothing changed")
    func defaultsStay() throws {
        #expect(try Settings(parsing: Array("{}\n".utf8)) == Settings())
        #expect(try Settings(parsing: Array(#"{"batch_limit":null}"#.utf8)) == Settings())
    }

    @Test("every setting is taken at both ends of its range, and not beyond", arguments: Settings.entries.map(\.name))
    func ranges(name: String) throws {
        let entry = try #require(Settings.entries.first { $0.name == name })
        guard case .number(let range, let keyPath) = entry.value else { return try other(entry) }
        for value in [range.lowerBound, range.upperBound] {
            let settings = try Settings(parsing: Array("{\"\(name)\":\(value)}".utf8))
            #expect(settings[keyPath: keyPath] == value)
        }
        for value in ["\(range.lowerBound - 1)", "\(range.upperBound + 1)", "true", "\"\(range.lowerBound)\""] {
            let problems = problems("{\"\(name)\":\(value)}")
            #expect(problems.count == 1 && problems.first?.contains(name) == true)
        }
        #expect(range.contains(Settings()[keyPath: keyPath]))
    }

    /// A setting that is on or off; 0 and 1 are what files from before say.
    private func other(_ entry: Settings.Entry) throws {
        if case .duration(let unit, let range, let keyPath) = entry.value {
            return try time(entry, unit, range, keyPath)
        }
        guard case .flag(let keyPath) = entry.value else { return try url(entry) }
        for (text, isOn) in [("true", true), ("false", false), ("1", true), ("0", false)] {
            let settings = try Settings(parsing: Array("{\"\(entry.name)\":\(text)}".utf8))
            #expect(settings[keyPath: keyPath] == isOn)
        }
        for value in ["2", "-1", "\"true\"", "[]", "0.5"] {
            let problems = problems("{\"\(entry.name)\":\(value)}")
            #expect(problems.count == 1 && problems.first?.contains(entry.name) == true)
        }
    }

    /// A time, as a number or with its unit.
    private func time(
        _ entry: Settings.Entry, _ unit: Settings.DurationUnit, _ range: ClosedRange<Int>,
        _ keyPath: WritableKeyPath<Settings, Int>
    ) throws {
        for value in [range.lowerBound, range.upperBound] {
            for text in ["\(value)", "\"\(value)\(unit.rawValue)\""] {
                let settings = try Settings(parsing: Array("{\"\(entry.name)\":\(text)}".utf8))
                #expect(settings[keyPath: keyPath] == value)
            }
        }
        let beyond = "\(range.upperBound + 1)"
        for text in [
            beyond, "\"\(beyond)\(unit.rawValue)\"", "\"\(range.upperBound)\"", "\"\"", "\"d\"", "\"-1d\"", "\"1 d\"",
            "\"1y\"",
            "\"99999999999999999999d\"", "true", "1.5",
        ] {
            let problems = problems("{\"\(entry.name)\":\(text)}")
            #expect(problems.count == 1 && problems.first?.contains(entry.name) == true, "\(text)")
        }
    }

    @Test(
        "a time is taken in any unit of which it is whole ones",
        arguments: [
            ("30s", Settings.DurationUnit.seconds, 30), ("5m", .seconds, 300), ("2h", .minutes, 120),
            ("7d", .hours, 168),
            ("24h", .days, 1), ("1500ms", .milliseconds, 1500), ("2s", .milliseconds, 2000), ("0s", .days, 0),
        ])
    func units(text: String, unit: Settings.DurationUnit, count: Int) {
        #expect(unit.count(in: text) == count)
        #expect(
            Settings.DurationUnit.days.count(in: "25h") == nil && Settings.DurationUnit.seconds.count(in: "1ms") == nil)
    }

    /// The beginning of a URL.
    private func url(_ entry: Settings.Entry) throws {
        guard case .url(let beginnings, let keyPath) = entry.value else { return }
        for text in beginnings.map({ $0 + "example.org/i?t=" }) {
            #expect(try Settings(parsing: Array("{\"\(entry.name)\":\"\(text)\"}".utf8))[keyPath: keyPath] == text)
        }
        for text in beginnings + [
            "", "http://example.org/", "https://a b/", #"https://a\"/"#, "https://é/", #"https://\n"#,
        ] {
            let problems = problems("{\"\(entry.name)\":\"\(text)\"}")
            #expect(problems.count == 1 && problems.first?.contains(entry.name) == true, "\(text)")
        }
        #expect(problems("{\"\(entry.name)\":7}").count == 1)
    }

    @Test("what is on or off is no number")
    func booleansAreNoNumbers() {
        let flags = Settings.entries.filter { if case .flag = $0.value { true } else { false } }
        #expect(
            flags.map(\.name) == ["new_members_see_history", "push_always", "push_allow_private_endpoints"])
        let numbers = Settings.entries.filter { if case .number(0...1, _) = $0.value { true } else { false } }
        #expect(numbers.isEmpty)
    }

    @Test("names and properties are each used once")
    func namesAreUsedOnce() {
        #expect(Set(Settings.entries.map(\.name)).count == Settings.entries.count)
        #expect(Set(Settings.entries.map(\.keyPath)).count == Settings.entries.count)
    }

    @Test(
        "a value that is no whole number is a mistake and no default",
        arguments: ["\"7\"", "7.5", "true", "[7]", "{}", "1e300", "-1", "\"\""])
    func malformed(value: String) {
        #expect(problems("{\"batch_limit\":\(value)}").count == 1)
    }

    @Test(
        "what is no JSON object is one mistake",
        arguments: [
            "", "null", "[]", "{", "{\"batch_limit\":1,}", "{\"batch_limit\":1,\"batch_limit\":2}", "\u{FEFF}{}",
        ])
    func noObject(text: String) {
        #expect(problems(text).count == 1)
        #expect(problems(text).first?.hasPrefix("parleyd.json:1: the file ") == true)
    }

    @Test(
        "the line of broken JSON is named",
        arguments: [
            ("{\n\"batch_limit\": 7,\n\"group_members\" 8\n}", 3), ("{\n\n\"batch_limit\": 7,\n}\n", 4),
            ("{\n\"batch_limit\": 7\n}\n\nmore", 5), ("{\n\"batch_limit\": 7\n", 2),
            ("{\"batch_limit\": 7,\n\n\"batch_limit\": 8}", 3),
        ])
    func brokenLines(text: String, line: Int) {
        #expect(problems(text).map { $0.prefix("parleyd.json:1".count) } == ["parleyd.json:\(line)"])
    }

    @Test("each mistake is a line with its place and the value that was found")
    func places() {
        let text = """
            {
              "batch_limit": 0,

              "x": true, "push_always": "yes",
              "registration": "maybe", "token_lifetime_days": "30"
            }
            """
        #expect(
            problems(text, ["PARLEY_SETTING_WAITING_READS": "many", "PARLEY_SETTING_Y": "1", "PARLEY_DATA": "x"]) == [
                "parleyd.json:2: batch_limit: not in 1 to 1000; it is 0",
                "parleyd.json:4: there is no setting \"x\"",
                "parleyd.json:4: push_always: not true or false; it is \"yes\"",
                "parleyd.json:5: token_lifetime_days: not a time of whole days; it is \"30\"",
                "parleyd.json:5: registration: not one of open, invited, closed; it is \"maybe\"",
                "PARLEY_SETTING_WAITING_READS in the environment: waiting_reads: not a whole number; it is many",
                "PARLEY_SETTING_Y in the environment: there is no setting \"y\"",
            ])
    }

    @Test("variables of the environment go before the file")
    func environment() throws {
        let settings = try Settings(
            parsing: Array(#"{"batch_limit":7,"push_always":false}"#.utf8),
            environment: [
                "PARLEY_SETTING_BATCH_LIMIT": "8", "PARLEY_SETTING_PUSH_ALWAYS": "true",
                "PARLEY_SETTING_TOKEN_LIFETIME_DAYS": "7d", "PARLEY_SETTING_MAIL_FROM": "a\"b",
                "PARLEY_SETTING_REGISTRATION": "open",
            ])
        var expected = Settings()
        (expected.batchLimit, expected.pushAlways, expected.tokenLifetimeDays) = (8, true, 7)
        (expected.mailFrom, expected.registration) = ("a\"b", "open")
        #expect(settings == expected)
    }

    @Test("a reload takes over what can change, and names what needs a restart")
    func reload() {
        let live = LiveSettings(Settings())
        var new = Settings()
        (new.groupMembers, new.broker.connections, new.batchLimit, new.mailFrom) = (12, 7, 9, "a@b")
        let reload = live.reload(new)
        #expect(reload.reloaded == ["group_members", "connections"])
        #expect(reload.needingRestart == ["batch_limit", "mail_from"])
        var expected = Settings()
        (expected.groupMembers, expected.broker.connections) = (12, 7)
        #expect(live.current == expected && live.generation == 1)
        #expect(live.reload(new).reloaded.isEmpty && live.generation == 1)
    }

    @Test("each setting that needs a restart is one")
    func restarts() {
        #expect(Settings.needingRestart.isSubset(of: Settings.entries.map(\.name)))
    }

    @Test("all mistakes are named at once")
    func allMistakesAtOnce() {
        let problems = problems(#"{"batch_limit":0,"batchLimit":7,"group_members":"ten","waiting_reads":5,"x":null}"#)
        #expect(problems.count == 4)
        for name in ["batch_limit", "batchLimit", "group_members", "\"x\""] {
            #expect(problems.contains { $0.contains(name) })
        }
    }

    @Test("no group is larger than a request can name")
    func groupFitsARequest() {
        guard case .number(let range, _)? = Settings.entries.first(where: { $0.name == "group_members" })?.value else {
            Issue.record("there is no such setting, or it is no number")
            return
        }
        #expect(range.upperBound == CreateConversation.mostNames)
    }
}

extension Settings.Entry {
    fileprivate var keyPath: AnyKeyPath {
        switch value {
        case .number(_, let keyPath), .duration(_, _, let keyPath): keyPath
        case .flag(let keyPath): keyPath
        case .url(_, let keyPath), .choice(_, let keyPath), .text(let keyPath): keyPath
        }
    }
}
