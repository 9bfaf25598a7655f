import Foundation
import ParleyClient
import TestSupport
import Testing

@testable import ParleyProtocol
@testable import parley

@Suite("What a person calls things")
struct NameMatchTests {
    private struct Thing: Nameable, Hashable {
        let names: [String]
        let idText: String?
        var candidate: String { names.first ?? "" }
    }

    private let things = [
        Thing(names: ["Morning run"], idText: "7f31a5d0-0000-4000-8000-000000000001"),
        Thing(names: ["Morning walk"], idText: "7f31a5d1-0000-4000-8000-000000000002"),
        Thing(names: ["bob", "Robert"], idText: "0abc0000-0000-4000-8000-000000000003"),
        Thing(names: ["Morning"], idText: nil),
    ]

    @Test(
        "a whole name or id counts before a beginning, and several are listed",
        arguments: [
            ("morning run", [0]), ("Morning", [3]), ("morning w", [1]), ("morn", [0, 1, 3]), ("ROB", [2]), ("b", [2]),
            ("7f31a5d0", [0]), ("7f31", [0, 1]), ("7f3", []), ("0abc0000-0000-4000-8000-000000000003", [2]),
            ("nobody", []), ("", []),
        ] as [(String, [Int])])
    func match(text: String, expected: [Int]) {
        let wanted = expected.map { things[$0] }
        switch things.named(text) {
        case .one(let thing): #expect([thing] == wanted)
        case .several(let found): #expect(found == wanted)
        case .none: #expect(wanted.isEmpty)
        }
    }

    @Test("what names nothing or several is refused with a sentence, and several with what there is")
    func refusals() throws {
        let none = #expect(throws: ToolError.self) { try things.one("nobody", what: "group") }
        #expect(none?.status == .rejected && none?.message == "no group is called nobody, or has an id that begins so")
        let several = #expect(throws: ToolError.self) { try things.one("7f31", what: "group") }
        #expect(several?.status == .usage && several?.message.hasSuffix("Morning run, Morning walk") == true)
        let hostile = #expect(throws: ToolError.self) { try things.one("\u{1B}[2J", what: "group") }
        #expect(hostile?.message.contains("\u{1B}") == false)
    }

    @Test("a message is named by its number, its id, or the beginning of that")
    func messages() {
        let id = MessageID.random()
        #expect(MessageName(argument: id.description.uppercased()) == .id(id))
        #expect(MessageName(argument: "12") == .number(12) && MessageName(argument: "#12") == .number(12))
        #expect(MessageName(argument: "12345678") == .beginning("12345678"), "so long a number is an id's beginning")
        #expect(MessageName(argument: "7F31a") == .beginning("7f31a"))
        for text in ["", "0", "#", "-3", "7f3", "hello", "7f31 x"] { #expect(MessageName(argument: text) == nil) }
    }

    @Test("a list is read page by page to its end, and a page without items ends it")
    func pages() async throws {
        func read(_ pages: [ListPage<Int>]) async throws -> (items: [Int], cursors: [String?]) {
            var (cursors, left) = ([String?](), pages[...])
            let items = try await ListPage.all { page throws(ClientError) in
                cursors.append(page.cursor)
                guard let next = left.popFirst() else { throw .malformedReply }
                return next
            }
            return (items, cursors)
        }
        let whole = try await read([ListPage(items: [1, 2], nextCursor: "a"), ListPage(items: [3], nextCursor: nil)])
        #expect(whole.items == [1, 2, 3] && whole.cursors == [nil, "a"])
        let empty = try await read([ListPage(items: [1], nextCursor: "a"), ListPage(items: [], nextCursor: "b")])
        #expect(empty.items == [1] && empty.cursors == [nil, "a"])
    }

    @Test("the workouts that were logged here are named by the beginnings of their ids")
    func workouts() throws {
        let place = try TemporaryDirectory()
        let gateway = LocalGateway(path: place.path, timeout: .seconds(1))
        let device: DeviceAddress = "alice/phone"
        try FileManager.default.createDirectory(
            atPath: DeviceDirectory(of: device, in: place.path).path, withIntermediateDirectories: true)
        let ids: [WorkoutID] = ["7f31a5d0-0000-4000-8000-000000000001", "7f31a5d0-0000-4000-8000-000000000002"]
        var logged = LoggedWorkouts(of: device, gateway)
        for id in ids + [ids[0]] { logged.append(id) }
        let kept = LoggedWorkouts(of: device, gateway)
        #expect(kept.all.map(\.id) == [ids[1], ids[0]])
        let name = try #require(WorkoutName(argument: "7F31a5d0"))
        let several = #expect(throws: ToolError.self) { try name.find(among: kept) }
        #expect(several?.status == .usage)
        let unknown = "7f31a5d0-0000-4000-8000-000000000009"
        #expect(try #require(WorkoutName(argument: unknown)).find(among: kept).description == unknown)
        for _ in 0..<1001 { logged.append(.random()) }
        #expect(LoggedWorkouts(of: device, gateway).all.count == 1000)
        let none = #expect(throws: ToolError.self) { try name.find(among: LoggedWorkouts(of: device, gateway)) }
        #expect(none?.status == .rejected)
    }

    @Test("of workouts that several commands log at one moment none is lost")
    func workoutsAtOnce() async throws {
        let place = try TemporaryDirectory()
        let (path, device): (String, DeviceAddress) = (place.path, "alice/phone")
        try FileManager.default.createDirectory(
            atPath: DeviceDirectory(of: device, in: path).path, withIntermediateDirectories: true)
        let ids = (0..<200).map { _ in WorkoutID.random() }
        // On threads of their own, or on one core each would end before the next begins.
        let group = DispatchGroup()
        for part in 0..<8 {
            group.enter()
            Thread.detachNewThread {
                for id in ids[(part * 25)..<(part * 25 + 25)] {
                    var logged = LoggedWorkouts(of: device, LocalGateway(path: path, timeout: .zero))
                    logged.append(id)
                }
                group.leave()
            }
        }
        await withCheckedContinuation { done in group.notify(queue: .global()) { done.resume() } }
        let kept = LoggedWorkouts(of: device, LocalGateway(path: path, timeout: .zero)).all.map(\.id)
        #expect(Set(kept) == Set(ids) && kept.count == ids.count)
    }

    @Test("a group is made with a name in quotes, or of one word, and with users")
    func newGroups() {
        let users = [UserID(validated: "bob"), UserID(validated: "carol")]
        for text in ["'Morning run' bob carol", "\"Morning run\"  bob carol"] {
            #expect(NewGroup(text)?.name == "Morning run" && NewGroup(text)?.users == users)
        }
        #expect(NewGroup("Runners bob")?.users == [users[0]] && NewGroup("'It''s'")?.name == nil)
        #expect(NewGroup("Runners")?.users == [])
        for text in ["", "'x", "''", "Runners b/c"] { #expect(NewGroup(text) == nil) }
    }
}
