import ParleyProtocol
import Testing

@testable import ParleyBridge

struct SettingsTests {
    private func problems(_ text: String) -> [String] {
        do throws(SettingsError) {
            _ = try Settings(parsing: Array(text.utf8))
            return []
        } catch {
            return error.problems
        }
    }

    @Test func `nothing named is nothing changed`() throws {
        #expect(try Settings(parsing: Array("{}\n".utf8)) == Settings())
        #expect(try Settings(parsing: Array(#"{"batch_limit":null}"#.utf8)) == Settings())
    }

    @Test("every setting is taken at both ends of its range, and not beyond", arguments: Settings.entries.map(\.name))
    func ranges(name: String) throws {
        let entry = try #require(Settings.entries.first { $0.name == name })
        for value in [entry.range.lowerBound, entry.range.upperBound] {
            let settings = try Settings(parsing: Array("{\"\(name)\":\(value)}".utf8))
            #expect(settings[keyPath: entry.keyPath] == value)
        }
        for value in [entry.range.lowerBound - 1, entry.range.upperBound + 1] {
            let problems = problems("{\"\(name)\":\(value)}")
            #expect(problems.count == 1 && problems.first?.contains(name) == true)
        }
        #expect(entry.range.contains(Settings.defaultValue(of: entry)))
    }

    @Test func `names and properties are each used once`() {
        #expect(Set(Settings.entries.map(\.name)).count == Settings.entries.count)
        #expect(Set(Settings.entries.map { $0.keyPath as AnyKeyPath }).count == Settings.entries.count)
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

    @Test func `all mistakes are named at once`() {
        let problems = problems(#"{"batch_limit":0,"batchLimit":7,"group_members":"ten","waiting_reads":5,"x":null}"#)
        #expect(problems.count == 4)
        for name in ["batch_limit", "batchLimit", "group_members", "\"x\""] {
            #expect(problems.contains { $0.contains(name) })
        }
    }

    @Test func `no group is larger than a request can name`() {
        #expect(Settings.entries.first { $0.name == "group_members" }?.range.upperBound == CreateConversation.mostNames)
    }
}
