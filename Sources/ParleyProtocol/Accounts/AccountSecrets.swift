/// A password, 1 to 256 Unicode scalars. It is compared as the bytes that were sent.
public struct AccountPassword: Hashable, Sendable, CustomStringConvertible {
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
public struct AccountCode: Hashable, Sendable, CustomStringConvertible {
    package let digits: String

    package static let length = 8

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

/// What a provider says of somebody who signed in there.
public struct IdentityProof: GatewayObject {
    public let provider: IdentityProviderName
    /// An OpenID Connect ID token.
    public let token: String
    /// Of the request to the provider; the token must repeat it.
    public let nonce: String?

    package static let longestToken = 16_384
    package static let longestNonce = 256

    public init(provider: IdentityProviderName, token: String, nonce: String? = nil) {
        (self.provider, self.token, self.nonce) = (provider, token, nonce)
    }

    package init<Pass: FieldPass<IdentityProof>>(fields pass: inout Pass) throws(Pass.Failure) {
        provider = try pass.required("provider", \.provider)
        token = try pass.required("id_token", \.token, as: .nonemptyText(Self.longestToken))
        nonce = try pass.optional(
            "nonce", \.nonce, as: .nonemptyText(Self.longestNonce), without: .omitted)
    }
}

/// The name of a request for an account, chosen by its sender: a repeat of the request has the same.
public struct AccountRequestID: UUIDIdentifier {
    public let value: UUIDValue
    public init(_ value: UUIDValue) { self.value = value }
}

/// A command about an account. It is carried out once.
package protocol AccountCommand: RepeatableCommand {
    var id: AccountRequestID { get }
}

extension AccountCommand {
    /// The gateway stores its digest for an hour, and only under a key, since passwords are part of it. The client's
    /// address is none of it: a phone that has changed its network repeats the same request.
    package func identityPreimage(sender: DeviceAddress) -> [UInt8] {
        let payload = payload()
        var preimage = IdentityPreimage(of: sender).field("\(Self.operation)")
        guard let object = try? JSONObject(parsing: payload) else { return preimage.field(payload).bytes }
        for name in object.names where name != ClientNetwork.field {
            guard let place = object.place(of: name) else { continue }
            preimage = preimage.field(name).field(payload[place])
        }
        return preimage.bytes
    }
}
