import Platform

extension QRCode {
    /// Light modules around the code, which readers need.
    private static let quietZone = 4

    /// The code as lines of half blocks, two rows of modules a line.
    ///
    /// - Parameter inColor: with the colours themselves, for a terminal, whichever it has; without, light modules are
    ///   drawn and dark ones are not, as it looks right on a dark ground.
    func lines(inColor: Bool) -> [String] {
        let range = -QRCode.quietZone..<size + QRCode.quietZone
        return stride(from: range.lowerBound, to: range.upperBound, by: 2).map { row in
            let text = range.map { column in
                let (top, bottom) = (!isDark(row, column), row + 1 < range.upperBound && !isDark(row + 1, column))
                return top ? (bottom ? "█" : "▀") : (bottom ? "▄" : " ")
            }.joined()
            // White on black.
            return inColor ? "\u{1B}[97;40m\(text)\u{1B}[0m" : text
        }
    }
}

extension Terminal {
    /// Draws a text for scanning, where somebody looks at standard error.
    static func draw(_ text: String) {
        guard isatty(STDERR_FILENO) != 0, let code = QRCode(Array(text.utf8)) else { return }
        draw(code.lines(inColor: true))
    }
}
