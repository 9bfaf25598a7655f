extension String {
    /// This text with everything that could move a terminal's cursor, or change what it shows, made visible.
    var printable: String {
        guard unicodeScalars.contains(where: \.isTerminalControl) else { return self }
        var result = ""
        for scalar in unicodeScalars {
            if scalar.isTerminalControl {
                result += "\\u{\(String(scalar.value, radix: 16))}"
            } else {
                result.unicodeScalars.append(scalar)
            }
        }
        return result
    }

    /// Filled with spaces to so many characters.
    func padded(to width: Int) -> String {
        self + String(repeating: " ", count: max(0, width - count))
    }

    /// Without the spaces at its end.
    func trimmingSpacesAtEnd() -> String {
        String(prefix(upTo: lastIndex { $0 != " " }.map(index(after:)) ?? startIndex))
    }
}

extension Unicode.Scalar {
    /// Controls, and the formatting characters that turn the direction of writing.
    fileprivate var isTerminalControl: Bool {
        switch value {
        case 0..<0x20, 0x7F...0x9F, 0x2028...0x202E, 0x2066...0x2069: true
        default: false
        }
    }
}
