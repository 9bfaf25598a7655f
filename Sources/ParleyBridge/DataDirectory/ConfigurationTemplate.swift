import Foundation

/// A file in which `@NAME@` is replaced by a value: of the broker's configuration, or of the door's before it.
package struct ConfigurationTemplate: Sendable {
    private let path: String
    private let text: String

    package init(path: String) throws(DataDirectoryError) {
        guard let data = FileManager.default.contents(atPath: path) else {
            throw DataDirectoryError("the configuration template \(path) cannot be read")
        }
        self.path = path
        text = String(decoding: data, as: UTF8.self)
    }

    /// The text with a value in the place of each name. In one pass: a value stays as it is, even where it
    /// looks like a name.
    ///
    /// - Throws: a sentence, if a name outside of comments has no value, or a value has a line break.
    func filled(with values: [String: String]) throws(DataDirectoryError) -> String {
        for value in values.values where value.contains(where: \.isNewline) {
            throw DataDirectoryError("a value with a line break is not possible in a configuration")
        }
        var filled = ""
        for line in text.split(separator: "\n", omittingEmptySubsequences: false) {
            if line.startIndex > text.startIndex { filled += "\n" }
            try fill(line, values, into: &filled)
        }
        return filled
    }

    private func fill(
        _ line: Substring, _ values: [String: String], into filled: inout String
    ) throws(DataDirectoryError) {
        var rest = line
        while let start = rest.firstIndex(of: "@") {
            filled += rest[..<start]
            rest = rest[start...].dropFirst()
            let name = rest.prefix { $0 == "_" || ("A"..."Z").contains($0) }
            guard !name.isEmpty, rest.dropFirst(name.count).first == "@" else {
                filled += "@"
                continue
            }
            if let value = values[String(name)] {
                filled += value
                rest = rest.dropFirst(name.count + 1)
            } else if line.hasPrefix("#") {
                filled += "@"
            } else {
                throw DataDirectoryError("\(path) has a name without a value: @\(name)@")
            }
        }
        filled += rest
    }
}
