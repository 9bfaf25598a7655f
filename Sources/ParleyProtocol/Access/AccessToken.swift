/// A device's password: a JSON Web Token in compact form (RFC 7519, RFC 7515 §3.1), signed with Ed25519 (RFC 8037).
///
/// Parsing checks the form alone. The caller verifies `signature` over `signedBytes`, and whether the claims still
/// hold, before it believes any of them.
package struct AccessToken: Hashable, Sendable {
    package let claims: Claims
    /// The signed bytes: header and claims as received, with the dot between them.
    package let signedBytes: [UInt8]
    /// 64 bytes.
    package let signature: [UInt8]

    /// In bytes. A token of the gateway's has about 400.
    package static let maximumLength = 2048
    static let signatureLength = 64

    /// The claims about its bearer.
    package struct Claims: Hashable, Sendable {
        /// `sub`: the user, which is also the MQTT username.
        package let user: UserID
        /// `did`
        package let device: DeviceID
        /// `exp`: seconds since 1970, from which on the token is expired.
        package let expiresAt: Int64
        /// `jti`
        package let id: TokenID
        package let role: Role

        package init(user: UserID, device: DeviceID, expiresAt: Int64, id: TokenID, role: Role) {
            (self.user, self.device, self.expiresAt, self.id, self.role) = (user, device, expiresAt, id, role)
        }

        package var address: DeviceAddress { DeviceAddress(user: user, device: device) }
    }

    package enum Role: String, Hashable, Sendable, CaseIterable {
        case device
        case `operator`
        case door
        /// The gateway's own connections; no device ever has it.
        case gateway
    }

    /// Parses the compact form strictly. `nil` for anything the gateway would not have made: an algorithm other than
    /// `EdDSA`, unknown header fields, more or fewer than three parts, padding, a duplicate or missing claim, an escape
    /// in a string, a number that is not a plain whole one. Unknown claims are ignored.
    package init?(parsing text: Span<UInt8>) {
        guard text.count <= AccessToken.maximumLength else { return nil }
        var dots: (first: Int, second: Int)?
        var firstDot: Int?
        for index in 0..<text.count where text[index] == UInt8(ascii: ".") {
            guard let first = firstDot else {
                firstDot = index
                continue
            }
            guard dots == nil else { return nil }
            dots = (first, index)
        }
        guard let dots,
            let header = Base64URL.decode(text.extracting(0..<dots.first)),
            let claims = Base64URL.decode(text.extracting((dots.first + 1)..<dots.second)),
            let signature = Base64URL.decode(text.extracting((dots.second + 1)..<text.count)),
            signature.count == AccessToken.signatureLength,
            AccessToken.isHeader(header),
            let claims = Claims(parsing: claims)
        else { return nil }
        self.claims = claims
        self.signature = signature
        var signed: [UInt8] = []
        signed.reserveCapacity(dots.second)
        for index in 0..<dots.second { signed.append(text[index]) }
        signedBytes = signed
    }

    private static func isHeader(_ json: [UInt8]) -> Bool {
        guard let header = JSONObject(partOfToken: json), (try? header.text("alg", maximum: 8)) == "EdDSA" else {
            return false
        }
        return header.names == ["alg"] || header.names.count == 2 && (try? header.text("typ", maximum: 8)) == "JWT"
    }
}

extension AccessToken {
    package static func signingInput(for claims: Claims) -> [UInt8] {
        CompactToken.signingInput(header: Array(#"{"alg":"EdDSA","typ":"JWT"}"#.utf8), claims: claims.json)
    }
}

extension AccessToken.Claims {
    /// `nil` unless each of the five claims is there once and well formed.
    init?(parsing json: [UInt8]) {
        guard let object = JSONObject(partOfToken: json),
            let user = try? object.level("sub", as: UserID.self),
            let device = try? object.level("did", as: DeviceID.self),
            let expiresAt = try? object.integer("exp", in: 0...Int.max),
            let id = try? object.uuid("jti", as: TokenID.self),
            let role = try? object.choice("role", as: AccessToken.Role.self)
        else { return nil }
        self.init(user: user, device: device, expiresAt: Int64(expiresAt), id: id, role: role)
    }

    var json: [UInt8] {
        JSONWriter.object {
            $0.member("sub", user)
            $0.member("did", device)
            $0.member("exp", Int(expiresAt))
            $0.member("jti", id)
            $0.member("role", role.rawValue)
        }
    }
}

extension JSONObject {
    /// Far stricter than JSON, because only the gateway writes tokens: at most 16 members, each a string of printable
    /// ASCII without escapes or a number of at most 15 digits.
    fileprivate init?(partOfToken json: [UInt8]) {
        guard json.allSatisfy({ $0 < 0x7F }), let object = try? JSONObject(parsing: json, .request(table: nil)),
            object.scanned.list.count <= 16,
            object.scanned.list.allSatisfy({ member in
                switch member.kind {
                case .string: !member.key.isEscaped
                case .number: !member.key.isEscaped && json.span.isShortNumber(member.value)
                case .escapedString, .object, .array, .true, .false, .null: false
                }
            })
        else { return nil }
        self = object
    }
}

extension Span<UInt8> {
    fileprivate func isShortNumber(_ place: Range<Int>) -> Bool {
        place.count <= 15 && place.allSatisfy { self[$0].isASCIIDigit }
    }
}

/// The `jti` of a token. A device signs in with the token that its status names.
package struct TokenID: UUIDIdentifier {
    package let value: UUIDValue
    package init(_ value: UUIDValue) { self.value = value }
}
