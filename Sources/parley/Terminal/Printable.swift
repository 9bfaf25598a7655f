extension String {
    /// This text with all control sequences made visible, so that it cannot move a terminal's cursor.
    ///
    /// Of the combining marks on one character only the first few stay.
    var printable: String {
        guard unicodeScalars.contains(where: { !$0.isASCII || $0.isTerminalControl }) else { return self }
        var result = ""
        var marks = 0
        for scalar in unicodeScalars {
            marks = scalar.hasNoColumns ? marks + 1 : 0
            if scalar.isTerminalControl {
                result += "\\u{\(String(scalar.value, radix: 16))}"
            } else if marks <= String.marksOnOneCharacter {
                result.unicodeScalars.append(scalar)
            }
        }
        return result
    }

    /// More than any language or emoji uses.
    private static var marksOnOneCharacter: Int { 12 }

    /// The lines of a text from a user, each printable, tabs as spaces.
    var printableLines: [String] {
        split(omittingEmptySubsequences: false, whereSeparator: \.isNewline).map { line in
            line.split(separator: "\t", omittingEmptySubsequences: false).joined(separator: "    ").printable
        }
    }

    /// This JSON text on one line, with the same meaning, and with nothing in it that could move a terminal's cursor.
    var printableJSON: String {
        var result = ""
        for scalar in unicodeScalars {
            if scalar.value < 0x20 {
                // White space between values: JSON lets no such character stand in a string.
                result += " "
            } else if scalar.isTerminalControl {
                let digits = String(scalar.value, radix: 16)
                result += "\\u" + String(repeating: "0", count: 4 - digits.count) + digits
            } else {
                result.unicodeScalars.append(scalar)
            }
        }
        return result
    }

    /// Filled with spaces to `width` characters.
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
        case 0..<0x20, 0x7F...0x9F, 0x200E...0x200F, 0x2028...0x202E, 0x2066...0x2069, 0x061C: true
        default: false
        }
    }
}
