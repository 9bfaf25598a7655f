import ParleyProtocol
import TestNames
import Testing

@testable import ParleyBridge

@Suite("Settings")
struct SettingsTests {
    private func problems(_ text: String) -> [String] {
        do throws(SettingsError) {
            _ = try Settings(parsing: Array(text.utf8))
            return []
        } catch {
            return error.problems
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
        case .number(_, let keyPath): keyPath
        case .flag(let keyPath): keyPath
        case .url(_, let keyPath), .choice(_, let keyPath), .text(let keyPath): keyPath
        }
    }
}
