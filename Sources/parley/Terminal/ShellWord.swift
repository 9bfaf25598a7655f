extension String {
    /// This text as one word for a shell, printable: as it is where that is safe, or else in quotes.
    var shellWord: String {
        guard isEmpty || !unicodeScalars.allSatisfy(\.isSafeInShell) else { return self }
        guard printable == self else { return "$'\(utf8.map(\.shellEscape).joined())'" }
        return "'" + split(separator: "'", omittingEmptySubsequences: false).joined(separator: #"'\''"#) + "'"
    }
}

extension Unicode.Scalar {
    fileprivate var isSafeInShell: Bool {
        guard isASCII else { return false }
        return properties.isAlphabetic || properties.numericType != nil || "-_./:+,@%=".unicodeScalars.contains(self)
    }
}

extension UInt8 {
    /// In the quotes that know escapes, `$'…'`: letters and digits as they are. Three octal digits, of which no shell
    /// reads a fourth.
    fileprivate var shellEscape: String {
        let scalar = Unicode.Scalar(self)
        if scalar.isSafeInShell { return String(scalar) }
        let digits = String(self, radix: 8)
        return "\\" + String(repeating: "0", count: 3 - digits.count) + digits
    }
}
