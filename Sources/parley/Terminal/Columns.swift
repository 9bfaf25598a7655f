extension String {
    /// How many columns a terminal gives this text.
    var columns: Int { reduce(0) { $0 + $1.columns } }

    /// The longest prefix that fits into so many columns.
    func prefix(columns: Int) -> String {
        var left = columns
        return String(
            prefix { character in
                left -= character.columns
                return left >= 0
            })
    }

    func padded(toColumns width: Int) -> String {
        self + String(repeating: " ", count: max(0, width - columns))
    }
}

extension Character {
    /// How many columns a terminal gives it, as `wcwidth` counts: 2 for the wide characters of East Asia and for emoji.
    ///
    /// Terminals differ in what they make of emoji that are joined; nothing here may depend on it but looks.
    var columns: Int {
        if utf8.count == 1 { return 1 }
        let scalars = unicodeScalars
        guard let first = scalars.first else { return 0 }
        if first.properties.isEmoji, scalars.count > 1, !first.isASCII {
            let isPicture = scalars.contains { $0.value == 0xFE0F || $0.value == 0x200D || $0.isSkinTone }
            if isPicture { return 2 }
        }
        return scalars.reduce(0) { $0 + $1.columns }
    }
}

extension Unicode.Scalar {
    /// Whether it takes no room of its own: a mark on the character before it, or a formatting character.
    var hasNoColumns: Bool {
        guard value >= 0x300 else { return false }
        if (0x1160...0x11FF).contains(value) { return true }
        switch properties.generalCategory {
        case .nonspacingMark, .enclosingMark, .format: return true
        case .uppercaseLetter, .lowercaseLetter, .titlecaseLetter, .modifierLetter, .otherLetter, .spacingMark,
            .decimalNumber, .letterNumber, .otherNumber, .connectorPunctuation, .dashPunctuation, .openPunctuation,
            .closePunctuation, .initialPunctuation, .finalPunctuation, .otherPunctuation, .mathSymbol, .currencySymbol,
            .modifierSymbol, .otherSymbol, .spaceSeparator, .lineSeparator, .paragraphSeparator, .control, .surrogate,
            .privateUse, .unassigned:
            return false
        @unknown default: return false
        }
    }

    fileprivate var columns: Int {
        if isASCII { return 1 }
        if hasNoColumns { return 0 }
        return isWide ? 2 : 1
    }

    fileprivate var isSkinTone: Bool { (0x1F3FB...0x1F3FF).contains(value) }

    /// East Asian Wide and Fullwidth (Unicode Standard Annex 11), in blocks.
    private var isWide: Bool {
        switch value {
        case 0x1F1E6...0x1F1FF: false  // Two of them are a flag.
        case 0x1100...0x115F, 0x2E80...0x303E, 0x3041...0x4DBF, 0x4E00...0xA4CF, 0xA960...0xA97F, 0xAC00...0xD7A3,
            0xF900...0xFAFF, 0xFE10...0xFE19, 0xFE30...0xFE6F, 0xFF00...0xFF60, 0xFFE0...0xFFE6, 0x16FE0...0x18DFF,
            0x1AFF0...0x1B2FF, 0x1F200...0x1F265, 0x20000...0x3FFFD:
            true
        default: properties.isEmojiPresentation
        }
    }
}
