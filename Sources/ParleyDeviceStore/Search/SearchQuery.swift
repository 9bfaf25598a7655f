import ParleyProtocol

/// What somebody searches for. Every text is a query; one without a letter or a digit finds nothing.
///
/// A word finds messages with a word that begins so, whatever its case and accents; words in double quotes find them as
/// they stand, side by side. A message must have all of them. Those that were sent last are found first.
package struct SearchQuery: Hashable, Sendable {
    /// What is looked at of a longer query.
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
        /// Whether the last word may go on.
        let isPrefix: Bool

        /// A string of FTS5's query syntax, which holds nothing but itself: quotation marks are doubled.
        var expression: String {
            "\"" + text.replacing("\"", with: "\"\"") + (isPrefix ? "\" *" : "\"")
        }
    }

    /// In FTS5's query syntax; `nil` for a query that finds nothing.
    var expression: String? {
        terms.isEmpty ? nil : terms.map(\.expression).joined(separator: " AND ")
    }

    /// Words at white space, phrases at double quotes; an open quote goes to the end.
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
                // NUL would end the expression.
                current.append(scalar == "\0" ? " " : scalar)
            }
        }
        end()
        return terms
    }

    /// Straight, as keyboards have them, and curly, as they are put in their place.
    private static let quotes: Set<Unicode.Scalar> = ["\"", "\u{201C}", "\u{201D}", "\u{201E}"]
}

extension Unicode.Scalar {
    /// Whether the tokenizer (`unicode61`) makes words of it; of anything else alone it makes none.
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
