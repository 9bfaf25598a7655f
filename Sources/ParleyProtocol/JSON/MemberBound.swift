/// How many members the objects of a text may have.
public enum MemberBound: Hashable, Sendable {
    /// Any number: of what a device reads from its gateway, where a later version may have more than this one knows,
    /// and of what a program has written for itself.
    case any
    /// `Limits.objectMembers`, as protocol §4 has it for requests; a table may have any number.
    case request(table: TableShape?)

    /// What holds for the payload of an operation; of one that the gateway does not know, no member is a table.
    package init(requestOf type: (any Request.Type)?) { self = .request(table: type?.table) }

    /// The most members of an object.
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

/// A member of the outermost object that is an object keyed by ids, and what is read of its entries.
public struct TableShape: Hashable, Sendable {
    let name: String
    /// The members of an entry that anybody asks for; others are looked at and forgotten.
    let fields: [String]

    static let cursors = TableShape(name: "cursors", fields: ["epoch", "seq"])
}
