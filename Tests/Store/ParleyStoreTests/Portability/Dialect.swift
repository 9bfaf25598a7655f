import Foundation
import ParleyProtocol
import TestNames

/// All that differs between the two engines' statements: what a driver for PostgreSQL does to them, and what belongs to
/// SQLite alone. Everything else is the same text on both. Their schemas are two texts: ``SchemaComparisonTests``.
enum Dialect {
    /// Statements of the connection and not of the gateway, by their beginnings: transactions, SQLite's settings, and
    /// how GRDB begins to read.
    static let ownStatements = ["BEGIN ", "COMMIT ", "ROLLBACK ", "PRAGMA ", "SELECT * FROM sqlite_master "]

    static func isOwn(_ statement: String) -> Bool {
        ownStatements.contains { (statement + " ").hasPrefix($0) }
    }

    /// A statement with its parameters as PostgreSQL numbers them.
    static func statement(_ sql: String) -> String {
        var (result, names, count): (String, [Substring], Int) = ("", [], 0)
        var rest = sql[...]
        while let character = rest.first {
            rest = rest.dropFirst()
            switch character {
            case "'":
                let constant = rest.prefix { $0 != "'" }
                result += "'\(constant)'"
                rest = rest.dropFirst(constant.count + 1)
            case "?":
                let number = rest.prefix(while: \.isWholeNumber)
                if number.isEmpty { count += 1 }
                result += number.isEmpty ? "$\(count)" : "$\(number)"
                rest = rest.dropFirst(number.count)
            case ":":
                let name = rest.prefix { $0.isLetter || $0 == "_" }
                if !names.contains(name) { names.append(name) }
                result += "$\((names.firstIndex(of: name) ?? 0) + 1)"
                rest = rest.dropFirst(name.count)
            default: result.append(character)
            }
        }
        return result
    }

    /// The names among these that stand in a statement alone: neither quoted nor after a point.
    static func bare(_ names: some Sequence<String>, in statement: String) -> [String] {
        names.filter { name in
            statement.range(of: #"(?<![."\w:])\#(name)(?!["\w])"#, options: .regularExpression) != nil
        }
    }
}
