/// The bound on the members of each object in a text.
public enum MemberBound: Hashable, Sendable {
    /// No bound: for a gateway's events and replies, to which a later version may add members, and for the program's
    /// own files.
    case any
    /// `Limits.objectMembers`, as protocol §4 requires of requests; a table may have any number.
    case request(table: TableShape?)

    /// The bound for the payload of an operation; an unknown one has no table.
    package init(requestOf type: (any Request.Type)?) { self = .request(table: type?.table) }

    var most: Int {
        switch self {
        case .any: .max
        case .request: Limits.objectMembers
        }
    }

    var table: TableShape? {
        switch self {
        case .any: nil
        case .request(let table): table
        }
    }
}

/// A member of the outermost object that is keyed by ids, and the fields of its entries.
public struct TableShape: Hashable, Sendable {
    let name: String
    /// The members of an entry that are read; others are scanned and discarded.
    let fields: [String]

    static let cursors = TableShape(name: "cursors", fields: ["epoch", "seq"])
}
