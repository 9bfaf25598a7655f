import ParleyProtocol
import TestNames
import TestSupport
import Testing

@testable import ParleyBridge

/// All lists that are given in pages keep the same promises.
@Suite("Lists in pages")
struct PagedListTests {
    @Test("every operation that takes a cursor is among those tested here")
    func allAreTestedHere() throws {
        let taking = try OperationTable.all.filter { try $0.fields.contains("cursor?") }.map {
            $0.operation.description
        }
        // What is exported is of many kinds: ErasureTests reads it page by page.
        let others = ["\(ExportUser.operation)"]
        #expect(Set(taking) == Set(ListedThings.sealed.map { $0.request.operation.description } + others))
        #expect(taking.count == 12)
    }

    /// In bytes, the envelope of a reply around the items of its page.
    private static let envelope = 600

    @Test(
        "pages keep to their bytes, give everything once and in order, and get past what is too large",
        arguments: ListedThings.allCases.filter(\.isSized))
    func bytes(list: ListedThings) throws {
        let world = try ListedWorld(
            list, sizes: [10, 90_000, 250_000, 10, 60_000, 90_000, 90_000, 10, 250_000, 250_000])
        var found: [String] = []
        var pages: [Int] = []
        var next: [String]? = []
        while let members = next, pages.count < 30 {
            let page = try world.page(members)
            let names = world.names(page)
            #expect(!names.isEmpty)
            #expect(page.payload.count <= Limits.pageBytes + Self.envelope || names.count == 1)
            found += names
            pages.append(names.count)
            next = world.next(after: page, all: found)
        }
        #expect(found == world.expected)
        // Some were cut by their bytes, some held several.
        #expect(pages.count >= 6 && pages.contains { $0 > 1 })
    }

    @Test("pages keep to their items", arguments: ListedThings.allCases)
    func items(list: ListedThings) throws {
        // The limit of a sync is one of records, of which there are none here.
        guard list != .sync else { return }
        let world = try ListedWorld(list, sizes: Array(repeating: 10, count: 10))
        for limit in [1, 3, 10, 200] {
            var found: [String] = []
            var next: [String]? = []
            while let members = next, found.count < 100 {
                let page = try world.page(members, limit: limit)
                let names = world.names(page)
                #expect(names.count <= limit && !names.isEmpty)
                found += names
                next = world.next(after: page, all: found)
            }
            #expect(found == world.expected)
        }
    }

    @Test(
        "a cursor is worth nothing to another, for another list or owner, to another gateway, or changed",
        arguments: ListedThings.sealed)
    func refusals(list: ListedThings) throws {
        let world = try ListedWorld(list, sizes: [100_000, 100_000, 100_000])
        func cursor(of page: Published) throws -> String { try #require(page.data["next_cursor"] as? String) }
        let own = try cursor(of: world.page(limit: 2))
        func member(_ cursor: String) -> [String] { ["\"cursor\":\"\(cursor)\""] }
        #expect(try world.page(member(own)).isOK == true)

        var refused: [Published] = [
            try world.page(member(own), by: list.otherCaller),
            try world.page(member(own), keyByte: 8),
        ]
        for other in ListedThings.sealed where other != list && other.caller == list.caller {
            refused.append(try world.page(member(own), of: other))
        }
        if list.namesOwner {
            // What the caller's own list is and what is shown of it to another are two lists, too.
            let shown = try cursor(of: world.page(by: list.otherCaller, owner: "alice"))
            #expect(try world.page(member(shown), by: list.otherCaller, owner: "alice").isOK == true)
            refused.append(try world.page(member(own), by: list.otherCaller, owner: "alice"))
            refused.append(try world.page(member(own), owner: "bob"))
            refused.append(try world.page(member(shown), by: list.otherCaller))
            refused.append(try world.page(member(shown)))
        }
        for index in own.utf8.indices {
            var text = own
            text.replaceSubrange(index...index, with: text[index] == "A" ? "B" : "A")
            refused.append(try world.page(member(text)))
        }
        let garbage = [
            "", "x", "!", "AAAA", "1", "9223372036854775807", "alice", "fan100", "é", own + "A", own + "=", own + own,
            String(own.dropLast()), String(own.dropLast(4)), String(repeating: "A", count: 256),
        ]
        for text in garbage { refused.append(try world.page(member(text))) }
        #expect(refused.allSatisfy { $0.code == "bad_request" })
        // Nothing tells one of these refusals from another.
        #expect(Set(refused.map(\.payload)).count == 1)
    }
}
