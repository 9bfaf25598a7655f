/// An email address: a local part that needs no quotes, and a domain name (RFC 5321 §4.1.2, without quoted strings,
/// address literals, comments and internationalized names).
///
/// It holds only bytes that stand in a header or a command of SMTP as they are. Two addresses are equal if they differ
/// in case alone: no usual mail service tells such mailboxes apart, and nobody may have two accounts by them.
public struct EmailAddress: Hashable, Sendable, CodableAsText {
    /// In bytes (RFC 5321 §4.5.3.1.3, less the angle brackets).
    public static let maximumLength = 254

    /// As given.
    public let text: String
    /// The same in lower case, for comparing and storing.
    public let normalForm: String

    public init?(_ text: String) {
        let bytes = Array(text.utf8)
        guard bytes.count <= EmailAddress.maximumLength, let at = bytes.firstIndex(of: UInt8(ascii: "@")),
            EmailAddress.isLocalPart(bytes[..<at]), EmailAddress.isDomain(bytes[(at + 1)...])
        else { return nil }
        self.text = text
        normalForm = text.lowercased()
    }

    /// The part after the `@`, in lower case.
    public var domain: String { normalForm.split(separator: "@").last.map { String($0) } ?? "" }

    public static func == (left: EmailAddress, right: EmailAddress) -> Bool { left.normalForm == right.normalForm }

    public func hash(into hasher: inout Hasher) { hasher.combine(normalForm) }

    public var description: String { text }

    public static let textForm = "an email address of ASCII characters"

    /// A dot-atom (RFC 5322 §3.2.3) of at most 64 bytes (RFC 5321 §4.5.3.1.1).
    private static func isLocalPart(_ bytes: ArraySlice<UInt8>) -> Bool {
        bytes.count <= 64
            && bytes.split(separator: UInt8(ascii: "."), omittingEmptySubsequences: false).allSatisfy { atom in
                !atom.isEmpty
                    && atom.allSatisfy { $0.isASCIILetterOrDigit || "!#$%&'*+-/=?^_`{|}~".utf8.contains($0) }
            }
    }

    /// At least two labels of letters, digits and inner hyphens (RFC 1123 §2.1), the last of which is no number.
    private static func isDomain(_ bytes: ArraySlice<UInt8>) -> Bool {
        let labels = bytes.split(separator: UInt8(ascii: "."), omittingEmptySubsequences: false)
        guard labels.count >= 2, let last = labels.last, !last.allSatisfy(\.isASCIIDigit) else { return false }
        return labels.allSatisfy { label in
            (1...63).contains(label.count) && label.first != UInt8(ascii: "-") && label.last != UInt8(ascii: "-")
                && label.allSatisfy { $0.isASCIILetterOrDigit || $0 == UInt8(ascii: "-") }
        }
    }
}
