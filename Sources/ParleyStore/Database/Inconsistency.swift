/// A breach of what must hold in the database.
package enum Inconsistency: Hashable, Sendable, CustomStringConvertible {
    /// A column of a row, numbered from 0, has a value that it may not have.
    case column(Int)
    case missingConversation
    case missingMember
    case missingUser
    /// A direct conversation has other members than two people.
    case notTwoMembers
    /// The log of a conversation has no more seqs.
    case fullLog
    case noMorePositions
    /// The user id of the operator is a person's.
    case operatorIsMember
    /// A user who can have no devices has one.
    case roleWithoutDevices

    package var description: String {
        switch self {
        case .column(let column): "what is in column \(column) of a row cannot be read"
        case .missingConversation: "a conversation is missing"
        case .missingMember: "a member is missing"
        case .missingUser: "a user is missing"
        case .notTwoMembers: "a direct conversation has other members than two people"
        case .fullLog: "the log of a conversation has no more places"
        case .noMorePositions: "there are no more positions for what is to be published"
        case .operatorIsMember: "the user id of the operator is a person's"
        case .roleWithoutDevices: "a user who can have no devices has one"
        }
    }
}
