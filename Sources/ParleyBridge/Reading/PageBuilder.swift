import ParleyProtocol

/// The cost of a page beside its items and bytes (`Limits`).
enum PageBudget {
    /// The most unread messages that are counted for one page, of all its conversations together, or a thousand more.
    /// The page ends there.
    static let unreadCounts = 50_000
}

/// The items of a page of any list: as JSON, each with its position in the list.
///
/// A page ends at its limit of items or of bytes of JSON (protocol §4, Limits). The first item goes in however large it
/// is, so that every page makes progress.
struct PageBuilder<Position> {
    struct Item {
        let position: Position
        let json: [UInt8]
    }

    private(set) var items: [Item] = []
    /// The JSON of all items, in bytes, with a comma after each.
    private(set) var bytes = 0
    /// Whether an item was offered for which there was no room, or was removed again.
    private(set) var isCut = false
    let limit: Int
    private let byteLimit: Int
    private let takesLarge: Bool

    /// - Parameters:
    ///   - limit: the most items.
    ///   - byteLimit: the most bytes of JSON, with the commas between the items.
    ///   - takesLarge: whether the first item goes in although it has more bytes than that.
    init(limit: Int, byteLimit: Int = Limits.pageBytes, takesLarge: Bool = true) {
        self.limit = limit
        self.byteLimit = byteLimit
        self.takesLarge = takesLarge
    }

    var count: Int { items.count }
    var isEmpty: Bool { items.isEmpty }

    /// Whether there can be no room for another item, however small.
    var isFull: Bool { items.count >= limit || (!isEmpty && room < 1) }

    /// The bytes that an item may have that is not the first: less than nothing after a first one that was too large.
    var room: Int { byteLimit - bytes }

    /// The elements of the page's array, comma between them.
    var json: [UInt8] { PageBuilder.json(of: items) }

    /// The position for the next cursor; `nil` if the list ended on this page.
    var end: Position? { isCut ? items.last?.position : nil }

    /// Adds an item if there is room for it. It is not written where there can be none.
    ///
    /// - Returns: whether it went in. Nothing that comes behind an item that did not is to be added.
    mutating func append(_ position: Position, _ write: (inout JSONWriter) -> Void) -> Bool {
        guard !isFull else {
            isCut = true
            return false
        }
        var writer = JSONWriter()
        write(&writer)
        guard writer.count <= room || (isEmpty && takesLarge) else {
            isCut = true
            return false
        }
        bytes += writer.count + 1
        items.append(Item(position: position, json: writer.finish()))
        return true
    }

    /// Removes items from the end until they have no more than so many `bytes`, but leaves at least so many of them.
    mutating func trim(toBytes byteLimit: Int, least: Int) {
        while bytes > byteLimit, items.count > least, let last = items.popLast() {
            bytes -= last.json.count + 1
            isCut = true
        }
    }

    /// These items as elements of an array, comma between them.
    static func json(of items: some Collection<Item>) -> [UInt8] {
        var json: [UInt8] = []
        json.reserveCapacity(items.reduce(0) { $0 + $1.json.count + 1 })
        for item in items {
            if !json.isEmpty { json.append(UInt8(ascii: ",")) }
            json += item.json
        }
        return json
    }
}
