import ParleyProtocol

/// A search query. Any text is valid; one without a letter or a digit finds nothing.
///
/// A word matches beginnings of words, ignoring case and accents; words in double quotes match as a phrase. A message
/// must match all of them. The newest come first.
package struct SearchQuery: Hashable, Sendable {
    /// Of a longer query only this much is used.
    static let maximumLength = 1000
    static let maximumTerms = 16
    static let maximumLimit = 200

    let terms: [Term]
    let conversation: ConversationID?
    let limit: Int

    /// - Parameter limit: at most `maximumLimit` are given.
    package init(_ text: String, in conversation: ConversationID? = nil, limit: Int = 50) {
        terms = Array(Self.terms(text.unicodeScalars.prefix(Self.maximumLength)).prefix(Self.maximumTerms))
        self.conversation = conversation
        self.limit = min(max(0, limit), Self.maximumLimit)
    }

    struct Term: Hashable {
        let text: String
        /// Whether the last word may be the beginning of one.
        let isPrefix: Bool

        /// A string in FTS5's query syntax: quotation marks are doubled.
        var expression: String {
            "\"" + text.replacing("\"", with: "\"\"") + (isPrefix ? "\" *" : "\"")
        }
    }

    /// In FTS5's query syntax; `nil` for a query that finds nothing.
    var expression: String? {
        terms.isEmpty ? nil : terms.map(\.expression).joined(separator: " AND ")
    }

    /// Splits words at white space and phrases at double quotes; an unclosed quote extends to the end.
    private static func terms(_ scalars: String.UnicodeScalarView.SubSequence) -> [Term] {
        var terms: [Term] = []
        var current = String.UnicodeScalarView()
        var isQuoted = false
        func end() {
            if current.contains(where: \.isSearchable) {
                terms.append(Term(text: String(current), isPrefix: !isQuoted))
            }
            current.removeAll()
        }
        for scalar in scalars {
            if quotes.contains(scalar) {
                end()
                isQuoted.toggle()
            } else if scalar.properties.isWhitespace && !isQuoted {
                end()
            } else {
                // U+0000 would end the expression.
                current.append(scalar == "\0" ? " " : scalar)
            }
        }
        end()
        return terms
    }

    /// Straight and curly.
    private static let quotes: Set<Unicode.Scalar> = ["\"", "\u{201C}", "\u{201D}", "\u{201E}"]
}

extension Unicode.Scalar {
    /// Whether the tokenizer (`unicode61`) makes words of it.
    fileprivate var isSearchable: Bool {
        switch properties.generalCategory {
        case .uppercaseLetter, .lowercaseLetter, .titlecaseLetter, .modifierLetter, .otherLetter, .decimalNumber,
            .letterNumber, .otherNumber, .privateUse:
            true
        case .nonspacingMark, .spacingMark, .enclosingMark, .connectorPunctuation, .dashPunctuation, .openPunctuation,
            .closePunctuation, .initialPunctuation, .finalPunctuation, .otherPunctuation, .mathSymbol, .currencySymbol,
            .modifierSymbol, .otherSymbol, .spaceSeparator, .lineSeparator, .paragraphSeparator, .control, .format,
            .surrogate, .unassigned:
            false
        @unknown default: false
        }
    }
}
