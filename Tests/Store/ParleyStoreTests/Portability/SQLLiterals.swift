import Foundation
import ParleyProtocol
import TestNames

/// The statements that stand in source files as literals, whole or in pieces.
struct SQLLiteral: Hashable {
    /// Where it stands, for whoever has to look.
    let file: String
    /// What stands around its interpolations.
    let pieces: [String]

    /// Whether it is a part of a statement, whatever was interpolated.
    func occurs(in statement: String) -> Bool {
        var rest = statement[...]
        for piece in pieces where !piece.isEmpty {
            guard let found = rest.range(of: piece) else { return false }
            rest = rest[found.upperBound...]
        }
        return true
    }

    /// What a literal begins with that is SQL.
    private static let beginnings = ["SELECT ", "INSERT ", "UPDATE ", "DELETE ", "WITH ", "ORDER BY "]

    /// The literals of SQL in a source file.
    static func all(in source: String, file: String) -> [SQLLiteral] {
        SwiftLiterals.all(in: source).map { pieces in
            SQLLiteral(file: file, pieces: pieces.map(\.onOneLine))
        }.filter { literal in beginnings.contains { (literal.pieces.first ?? "").appending(" ").hasPrefix($0) } }
    }

    /// Those of all files below a folder, but for folders in it.
    static func all(below root: URL, besides excluded: Set<String>) throws -> [SQLLiteral] {
        let files = FileManager.default.enumerator(at: root, includingPropertiesForKeys: nil)
        var literals: [SQLLiteral] = []
        while let file = files?.nextObject() as? URL {
            guard file.pathExtension == "swift", !excluded.contains(file.deletingLastPathComponent().lastPathComponent)
            else {
                continue
            }
            literals += all(in: try String(contentsOf: file, encoding: .utf8), file: file.lastPathComponent)
        }
        return literals
    }
}

/// The string literals of Swift source, as far as this project writes them: on one line or several, raw or not.
private struct SwiftLiterals {
    private let source: [UInt8]
    private var place = 0

    static func all(in source: String) -> [[String]] {
        var reader = SwiftLiterals(source: Array(source.utf8))
        var literals: [[String]] = []
        while let literal = reader.next() { literals.append(literal) }
        return literals
    }

    private init(source: [UInt8]) { self.source = source }

    private func starts(_ text: StaticString) -> Bool {
        let count = text.utf8CodeUnitCount
        guard source.count - place >= count else { return false }
        return text.withUTF8Buffer { unsafe $0.elementsEqual(source[place..<place + count]) }
    }

    private struct Delimiters {
        let opening: StaticString
        let closing: StaticString
        let interpolation: StaticString
        let escapes: Bool
    }

    private var delimiters: Delimiters? {
        switch source[place] {
        case UInt8(ascii: "#") where starts("#\""):
            Delimiters(opening: "#\"", closing: "\"#", interpolation: "\\#(", escapes: false)
        case UInt8(ascii: "\"") where starts("\"\"\""):
            Delimiters(opening: "\"\"\"", closing: "\"\"\"", interpolation: "\\(", escapes: true)
        case UInt8(ascii: "\""): Delimiters(opening: "\"", closing: "\"", interpolation: "\\(", escapes: true)
        default: nil
        }
    }

    /// The next literal outside of comments, cut at its interpolations.
    private mutating func next() -> [String]? {
        while place < source.count {
            if source[place] == UInt8(ascii: "/"), starts("//") {
                place = source[place...].firstIndex(of: UInt8(ascii: "\n")) ?? source.count
            } else if let delimiters {
                place += delimiters.opening.utf8CodeUnitCount
                return literal(delimiters)
            } else {
                place += 1
            }
        }
        return nil
    }

    private mutating func literal(_ delimiters: Delimiters) -> [String] {
        var (pieces, piece): ([String], [UInt8]) = ([], [])
        while place < source.count, !starts(delimiters.closing) {
            if starts(delimiters.interpolation) {
                place += delimiters.interpolation.utf8CodeUnitCount
                skipInterpolation()
                pieces.append(String(decoding: piece, as: UTF8.self))
                piece = []
            } else if delimiters.escapes, source[place] == UInt8(ascii: "\\") {
                place += 2
            } else {
                piece.append(source[place])
                place += 1
            }
        }
        place += delimiters.closing.utf8CodeUnitCount
        return pieces + [String(decoding: piece, as: UTF8.self)]
    }

    private mutating func skipInterpolation() {
        var depth = 1
        while place < source.count, depth > 0 {
            switch source[place] {
            case UInt8(ascii: "("): depth += 1
            case UInt8(ascii: ")"): depth -= 1
            default: break
            }
            place += 1
        }
    }
}
