/// Something that a person may name by one of its names, by its id, or by the beginning of either.
protocol Nameable {
    /// In no particular order.
    var names: [String] { get }
    /// `nil` for what has none.
    var idText: String? { get }
    /// For a choice of several.
    var candidate: String { get }
}

/// What a text names among several.
enum NameMatch<Item> {
    case one(Item)
    case several([Item])
    case none
}

extension Collection where Element: Nameable {
    /// Finds what a text names. A whole id or name counts before a beginning, and upper and lower case are alike.
    func named(_ text: String) -> NameMatch<Element> {
        let text = text.lowercased()
        guard !text.isEmpty else { return .none }
        let stages: [(Element) -> Bool] = [
            { $0.idText == text }, { $0.names.contains { $0.lowercased() == text } },
            { item in
                item.names.contains { $0.lowercased().hasPrefix(text) }
                    || text.utf8.count >= shortestIDPrefix && item.idText?.hasPrefix(text) == true
            },
        ]
        for isNamed in stages {
            let found = filter(isNamed)
            if let only = found.first { return found.count == 1 ? .one(only) : .several(found) }
        }
        return .none
    }
}

/// Fewer digits of an id are not taken for its beginning: they are too likely to be those of another.
let shortestIDPrefix = 4
