/// The kinds of push service (protocol §7).
public enum PushProvider: String, Hashable, Sendable, CaseIterable {
    case apns, fcm, webpush, webhook
}

/// The push service that reaches a device while it is not connected, and its address there.
public enum PushTarget: Hashable, Sendable, PrintedWithoutContent {
    /// `secret`: 16 to 256 characters, the key of the signature.
    case webhook(WebURL, secret: String)
    /// A subscription of RFC 8030. `p256dh`: a point of P-256, uncompressed, 65 bytes; `auth`: 16 bytes (RFC 8291 §3.1,
    /// §3.2).
    case webPush(WebURL, p256dh: [UInt8], auth: [UInt8])
    /// `token`: hexadecimal digits in lower case; `topic`: the app's bundle id.
    case apns(token: String, topic: String)
    case fcm(token: String)

    public var provider: PushProvider {
        switch self {
        case .webhook: .webhook
        case .webPush: .webpush
        case .apns: .apns
        case .fcm: .fcm
        }
    }

    /// Without address, token and keys.
    public var description: String { "a registration with \(provider.rawValue)" }

    /// The device's address at the provider: at most one device is registered with it and ``ownershipSecret``.
    public var address: String {
        switch self {
        case .webhook(let endpoint, _), .webPush(let endpoint, _, _): endpoint.url
        case .apns(let token, _), .fcm(let token): token
        }
    }

    /// The secret that only the owner of an endpoint knows: a registration with another secret replaces nobody's. `nil`
    /// if the address is itself secret.
    package var ownershipSecret: [UInt8]? {
        switch self {
        case .webhook(_, let secret): Array(secret.utf8)
        case .webPush(_, _, let auth): auth
        case .apns, .fcm: nil
        }
    }

    /// The endpoint, which a device may name freely.
    public var endpoint: WebURL? {
        switch self {
        case .webhook(let endpoint, _), .webPush(let endpoint, _, _): endpoint
        case .apns, .fcm: nil
        }
    }
}

// MARK: Fields

/// The fields depend on the provider, so that there is no one list of them.
extension PushTarget: FieldGroup {
    private static let secretCharacters = 16...256
    private static let publicKeyBytes = 65
    private static let authBytes = 16

    /// Reads it from a request, or from the store.
    package init(members object: JSONObject) throws(Rejection) {
        switch try object.choice("provider", as: PushProvider.self).required("provider") {
        case .webhook:
            let endpoint = try PushTarget.endpoint(object)
            let secret = try object.text("secret", maximum: PushTarget.secretCharacters.upperBound).required("secret")
            guard secret.unicodeScalars.count >= PushTarget.secretCharacters.lowerBound else {
                throw .badRequest("secret", "shorter than \(PushTarget.secretCharacters.lowerBound) characters")
            }
            self = .webhook(endpoint, secret: secret)
        case .webpush:
            let endpoint = try PushTarget.endpoint(object)
            let key = try PushTarget.base64URL("p256dh", of: object, count: PushTarget.publicKeyBytes)
            guard key.first == 0x04 else { throw .badRequest("p256dh", "not an uncompressed point of P-256") }
            self = .webPush(
                endpoint, p256dh: key, auth: try PushTarget.base64URL("auth", of: object, count: PushTarget.authBytes))
        case .apns:
            let token = try object.text("token", maximum: 400).required("token").lowercased()
            guard token.utf8.count >= 16, token.utf8.count.isMultiple(of: 2),
                token.utf8.allSatisfy({ $0.hexadecimal != nil })
            else { throw .badRequest("token", "not 16 to 400 hexadecimal digits, two for each byte") }
            let topic = try object.text("topic", maximum: 255).required("topic")
            guard !topic.isEmpty, topic.consists(ofLettersDigitsAnd: ".-_") else {
                throw .badRequest("topic", "not letters, digits, \".\", \"-\" and \"_\"")
            }
            self = .apns(token: token, topic: topic)
        case .fcm:
            let token = try object.text("token", maximum: 4096).required("token")
            guard !token.isEmpty, token.utf8.allSatisfy({ (0x21...0x7E).contains($0) && $0 != 0x22 && $0 != 0x5C })
            else { throw .badRequest("token", "not printable characters of ASCII") }
            self = .fcm(token: token)
        }
    }

    package func writeMembers(to object: inout JSONWriter) {
        object.member("provider", provider.rawValue)
        switch self {
        case .webhook(let endpoint, let secret):
            object.member("endpoint", endpoint.text)
            object.member("secret", secret)
        case .webPush(let endpoint, let key, let auth):
            object.member("endpoint", endpoint.text)
            object.member("p256dh", Base64URL.text(of: key.span))
            object.member("auth", Base64URL.text(of: auth.span))
        case .apns(let token, let topic):
            object.member("token", token)
            object.member("topic", topic)
        case .fcm(let token):
            object.member("token", token)
        }
    }

    private static func endpoint(_ object: JSONObject) throws(Rejection) -> WebURL {
        let text = try object.text("endpoint", maximum: Limits.urlBytes).required("endpoint")
        guard let endpoint = WebURL(text) else {
            throw .badRequest("endpoint", "not an absolute https URL without user information and fragment")
        }
        return endpoint
    }

    private static func base64URL(_ name: String, of object: JSONObject, count: Int) throws(Rejection) -> [UInt8] {
        let text = try object.text(name, maximum: 128).required(name)
        guard let bytes = Base64URL.decode(Array(text.utf8).span), bytes.count == count else {
            throw .badRequest(name, "not \(count) bytes in base64url without padding")
        }
        return bytes
    }
}

extension PushTarget: DescribedFields {
    package static var variants: [[FieldSchema.Member]] {
        func of(_ provider: PushProvider, _ members: FieldSchema.Member...) -> [FieldSchema.Member] {
            [FieldSchema.Member("provider", FieldSchema(.choice([provider.rawValue])))] + members
        }
        let port = "[1-9][0-9]{0,3}|[1-5][0-9]{4}|6[0-4][0-9]{3}|65[0-4][0-9]{2}|655[0-2][0-9]|6553[0-5]"
        let host = #"[A-Za-z0-9._-]{1,253}|\[[0-9A-Fa-f.:]+\]"#
        let endpoint = FieldSchema.Member(
            "endpoint",
            .text(
                9...Limits.urlBytes,
                FieldSchema.Pattern(
                    #"^https?://(\#(host))(:(\#(port)))?([/?][!$-;=?-\[\]_a-z~]*)?$"#, format: "uri",
                    example: "https://push.example/1")))
        // The first byte is 4.
        let publicKey = FieldSchema.text(
            87...87,
            FieldSchema.Pattern(
                "^B[A-P][A-Za-z0-9_-]{84}[AEIMQUYcgkosw048]$", example: "B" + String(repeating: "A", count: 86)))
        let pattern = FieldSchema.Pattern(FieldSchema.Pattern.any.expression, example: "0123456789abcdef")
        return [
            of(.webhook, endpoint, FieldSchema.Member("secret", .text(secretCharacters, pattern))),
            of(
                .webpush, endpoint, FieldSchema.Member("p256dh", publicKey),
                FieldSchema.Member("auth", .base64URL(authBytes))),
            of(
                .apns,
                FieldSchema.Member(
                    "token", .text(16...400, FieldSchema.Pattern("^([0-9A-Fa-f]{2})+$", example: "0123456789abcdef"))),
                FieldSchema.Member(
                    "topic", .text(1...255, FieldSchema.Pattern("^[A-Za-z0-9._-]+$", example: "org.example.App")))),
            of(
                .fcm,
                FieldSchema.Member(
                    "token", .text(1...4096, FieldSchema.Pattern(#"^[!#-\[\]-~]+$"#, example: "x")))),
        ]
    }
}
