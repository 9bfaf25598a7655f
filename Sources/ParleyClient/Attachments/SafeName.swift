/// A name for a file that somebody else has named: one component of a path, without what hides or disguises.
public struct SafeName: Hashable, Sendable, CustomStringConvertible {
    public let text: String

    /// In bytes, so that a number still fits behind it.
    private static let longest = 200
    private static let longestEnding = 16

    /// - Parameter name: anything.
    public init(_ name: String) {
        let last = name.split(whereSeparator: { $0 == "/" || $0 == "\\" }).last ?? ""
        let scalars = last.unicodeScalars.filter { scalar in
            switch scalar.properties.generalCategory {
            // Control and format characters, those that turn the direction of writing among them.
            case .control, .format, .lineSeparator, .paragraphSeparator, .privateUse, .surrogate, .unassigned: false
            default: !"<>:\"|?*/\\".unicodeScalars.contains(scalar)
            }
        }
        var text = String(String.UnicodeScalarView(scalars.drop { ".~- ".unicodeScalars.contains($0) }))
        while text.hasSuffix(".") || text.hasSuffix(" ") { text.removeLast() }
        let (stem, ending) = SafeName.parts(of: text)
        var shortened = stem
        while shortened.utf8.count + ending.utf8.count > SafeName.longest { shortened.removeLast() }
        self.text = shortened.isEmpty ? "file\(ending)" : shortened + ending
    }

    /// The name, and then `name (1)`, `name (2)` …
    public func candidates(_ count: Int = 1000) -> [String] {
        let (stem, ending) = SafeName.parts(of: text)
        return [text] + (1..<max(1, count)).map { "\(stem) (\($0))\(ending)" }
    }

    private static func parts(of name: String) -> (stem: String, ending: String) {
        guard let dot = name.lastIndex(of: "."), dot > name.startIndex,
            name[dot...].utf8.count <= SafeName.longestEnding
        else { return (name, "") }
        return (String(name[..<dot]), String(name[dot...]))
    }

    public var description: String { text }
}
