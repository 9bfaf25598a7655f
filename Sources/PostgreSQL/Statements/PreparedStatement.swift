/// A statement that the server has prepared.
final class PreparedStatement {
    let text: String
    /// Its name on the connection.
    let name: StatementName
    let parameters: [ParameterType]
    /// Of a transaction; `nil` for statements within one.
    let boundary: Boundary?
    /// When it was used last, counted in uses of statements.
    var lastUse: UInt64 = 0

    init(text: String, name: StatementName, parameters: [ParameterType]) {
        (self.text, self.name, self.parameters) = (text, name, parameters)
        boundary = Boundary(text)
    }

    enum Boundary {
        case begin, commit, rollback

        init?(_ text: String) {
            switch text.drop(while: \.isWhitespace).prefix(while: \.isLetter).uppercased() {
            case "BEGIN": self = .begin
            case "COMMIT": self = .commit
            case "ROLLBACK": self = .rollback
            default: return nil
            }
        }
    }
}

/// The name of a prepared statement: a number that no other statement of its connection has.
struct StatementName: Hashable {
    let text: String

    init(number: UInt64) { text = "s\(number)" }

    private init(text: String) { self.text = text }

    /// The name of none: the server refuses to run it.
    static let none = StatementName(text: "none")
}
