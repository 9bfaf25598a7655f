/// A password, 1 to 256 Unicode scalars. It is compared as the bytes that were sent.
public struct AccountPassword: Hashable, Sendable, PrintedWithoutContent {
    package let text: String

    package static let maximumLength = 256
    /// Of a password that is set (NIST SP 800-63B §5.1.1.2).
    package static let minimumNewLength = 8

    /// `nil` for nothing, and for a text that is too long.
    public init?(_ text: String) {
        guard !text.isEmpty, text.unicodeScalars.count <= Self.maximumLength else { return nil }
        self.text = text
    }

    /// Whether it may be set.
    package var isLongEnough: Bool { text.unicodeScalars.count >= Self.minimumNewLength }

    /// Never the password.
    public var description: String { "a password" }
}

extension AccountPassword: JSONReadable {
    public func write(to writer: inout JSONWriter) { text.write(to: &writer) }

    public static func read(_ name: String, of object: JSONObject) throws(Rejection) -> AccountPassword? {
        guard let text = try object.text(name, maximum: maximumLength) else { return nil }
        guard let password = AccountPassword(text) else { throw .badRequest(name, "empty") }
        return password
    }

    public static var schema: FieldSchema { schema(from: 1) }

    fileprivate static func schema(from minimumLength: Int) -> FieldSchema {
        let any = FieldSchema.Pattern.any.expression
        return .text(minimumLength...maximumLength, FieldSchema.Pattern(any, example: "correct horse battery"))
    }
}

/// A password that is to be set.
struct NewPasswordForm: FieldForm {
    func read(_ name: String, of object: JSONObject) throws(Rejection) -> AccountPassword? {
        guard let password = try AccountPassword.read(name, of: object) else { return nil }
        guard password.isLongEnough else {
            throw .badRequest(name, "shorter than \(AccountPassword.minimumNewLength) characters")
        }
        return password
    }

    func write(_ value: AccountPassword, to writer: inout JSONWriter) { value.write(to: &writer) }

    var schema: FieldSchema { AccountPassword.schema(from: AccountPassword.minimumNewLength) }
}

/// A code that was sent by mail: eight digits.
public struct AccountCode: Hashable, Sendable, PrintedWithoutContent {
    package let digits: String

    package static let length = 8
    package static let minutesOfLife = 15

    public init?(_ digits: String) {
        guard digits.utf8.count == Self.length, digits.utf8.allSatisfy(\.isASCIIDigit) else { return nil }
        self.digits = digits
    }

    /// The code that follows from eight bytes of a digest. The remainder favours no code by more than one in 10¹¹.
    package init(digest: [UInt8]) {
        let number = digest.prefix(8).reduce(UInt64(0)) { $0 << 8 | UInt64($1) } % 100_000_000
        let text = String(number)
        digits = String(repeating: "0", count: Self.length - text.utf8.count) + text
    }

    /// Never the code.
    public var description: String { "a code" }
}

extension AccountCode: JSONReadable {
    public func write(to writer: inout JSONWriter) { digits.write(to: &writer) }

    public static func read(_ name: String, of object: JSONObject) throws(Rejection) -> AccountCode? {
        guard let text = try object.text(name, maximum: length) else { return nil }
        guard let code = AccountCode(text) else { throw .badRequest(name, "not a code of \(length) digits") }
        return code
    }

    public static var schema: FieldSchema {
        .text(length...length, FieldSchema.Pattern("^[0-9]{8}$", example: "40817263"))
    }
}
