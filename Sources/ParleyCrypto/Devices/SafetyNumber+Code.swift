import ParleyProtocol

/// The result of scanning another person's code.
public enum SafetyNumberComparison: Hashable, Sendable, CaseIterable {
    /// The other device sees the same keys of both users.
    case match
    /// It sees other keys: an attacker is between, or one of the two does not know a device yet.
    case mismatch
    /// The code is of other users, or the user's own.
    case otherUsers
    /// It is no code of a safety number.
    case unreadable
    /// A code of a later version: update the app that scanned it.
    case newerVersion
}

extension SafetyNumber {
    private static let name = "parley-safety"
    private static let version = 1
    private static let separator = UInt8(ascii: "/")
    /// Longer than any code, in bytes.
    private static let longestCode = 512

    /// The text of a QR code for the other person to scan:
    /// `parley-safety/1/` own user `/` other user `/` own fingerprint `/` other fingerprint.
    ///
    /// A fingerprint is 30 bytes in base64url. The order shows whose code it is, so that it cannot be mirrored back.
    public var code: String {
        var text = Array("\(SafetyNumber.name)/\(SafetyNumber.version)/\(own.user)/\(peer.user)/".utf8)
        Base64URL.append(own.fingerprint.bytes.span, to: &text)
        text.append(SafetyNumber.separator)
        Base64URL.append(peer.fingerprint.bytes.span, to: &text)
        return String(decoding: text, as: UTF8.self)
    }

    /// Compares the other person's scanned code with this device's keys.
    public func compare(_ scanned: String) -> SafetyNumberComparison {
        guard scanned.utf8.count <= SafetyNumber.longestCode else { return .unreadable }
        let fields = scanned.utf8.split(separator: SafetyNumber.separator, omittingEmptySubsequences: false)
            .map(Array.init)
        guard fields.count >= 2, fields[0] == Array(SafetyNumber.name.utf8) else { return .unreadable }
        guard fields[1] == Array(String(SafetyNumber.version).utf8) else {
            let version = Int(String(decoding: fields[1], as: UTF8.self))
            return (version ?? 0) > SafetyNumber.version ? .newerVersion : .unreadable
        }
        guard fields.count == 6, let theirUser = UserID(String(decoding: fields[2], as: UTF8.self)),
            let ownUser = UserID(String(decoding: fields[3], as: UTF8.self)),
            let theirs = Fingerprint(base64URL: fields[4]), let ours = Fingerprint(base64URL: fields[5])
        else { return .unreadable }
        guard theirUser == peer.user, ownUser == own.user else { return .otherUsers }
        return theirs == peer.fingerprint && ours == own.fingerprint ? .match : .mismatch
    }
}
