/// A device's password: a JSON Web Token in compact form (RFC 7519, RFC 7515 §3.1), signed with Ed25519 (RFC 8037).
///
/// Parsing checks form alone. Whether `signature` is the gateway's over `signedBytes`, and whether the claims still
/// hold, is for the caller to find out before believing anything in them.
package struct AccessToken: Hashable, Sendable {
    package let claims: Claims
    /// The bytes that are signed: header and claims as they came, with the dot between them.
    package let signedBytes: [UInt8]
    /// 64 bytes.
    package let signature: [UInt8]

    /// The longest token that is read, in bytes. One that the gateway makes has about 400.
    package static let maximumLength = 2048
    static let signatureLength = 64

    /// The claims about its bearer.
    package struct Claims: Hashable, Sendable {
        /// `sub`: the user, which is also the MQTT username.
        package let user: UserID
        /// `did`
        package let device: DeviceID
        /// `exp`: seconds since 1970; the token has ended when the clock shows this or more.
        package let expiresAt: Int64
        /// `jti`
        package let id: TokenID
        package let role: Role

        package init(user: UserID, device: DeviceID, expiresAt: Int64, id: TokenID, role: Role) {
            self.user = user
            self.device = device
            self.expiresAt = expiresAt
            self.id = id
            self.role = role
        }

        package var address: DeviceAddress { DeviceAddress(user: user, device: device) }
    }

    package enum Role: String, Hashable, Sendable, CaseIterable {
        case device
        case `operator`
        /// The gateway's own connections; no device ever has it.
        case gateway
    }

    /// Parses the compact form strictly; `nil` for whatever the gateway would not have made: an algorithm other than
    /// `EdDSA`, unknown header fields, more or fewer than three parts, padding, a claim twice or missing, an escape
    /// in a string, a number that is not a plain whole one. Claims that are unknown are passed over.
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
            AccessToken.isHeader(header.span),
            let claims = Claims(parsing: claims.span)
        else { return nil }
        self.claims = claims
        self.signature = signature
        var signed: [UInt8] = []
        signed.reserveCapacity(dots.second)
        for index in 0..<dots.second { signed.append(text[index]) }
        signedBytes = signed
    }

    private static func isHeader(_ json: Span<UInt8>) -> Bool {
        var algorithm = false
        var type = false
        let isObject = FlatObject.read(json) { key, value in
            guard case .text(let value) = value else { return false }
            if key.equals("alg"), !algorithm {
                algorithm = true
                return json.extracting(value).equals("EdDSA")
            }
            if key.equals("typ"), !type {
                type = true
                return json.extracting(value).equals("JWT")
            }
            return false
        }
        return isObject && algorithm
    }
}

extension AccessToken {
    /// What the gateway signs for `claims`.
    package static func signingInput(for claims: Claims) -> [UInt8] {
        CompactToken.signingInput(header: Array(#"{"alg":"EdDSA","typ":"JWT"}"#.utf8), claims: claims.json)
    }
}

extension AccessToken.Claims {
    /// Parses the claims' JSON; `nil` unless each of the five is there once and well formed.
    init?(parsing json: Span<UInt8>) {
        var user: UserID?
        var device: DeviceID?
        var expiresAt: Int64?
        var id: TokenID?
        var role: AccessToken.Role?
        let isObject = FlatObject.read(json) { key, value in
            switch value {
            case .text(let range):
                let text = json.extracting(range)
                if key.equals("sub") { return AccessToken.Claims.set(&user, to: UserID(parsing: text)) }
                if key.equals("did") { return AccessToken.Claims.set(&device, to: DeviceID(parsing: text)) }
                if key.equals("jti") { return AccessToken.Claims.set(&id, to: TokenID(parsing: text)) }
                if key.equals("role") {
                    let named = AccessToken.Role.allCases.first { text.equals($0.rawValue) }
                    return AccessToken.Claims.set(&role, to: named)
                }
                return !key.equals("exp")
            case .number(let number):
                if key.equals("exp") { return AccessToken.Claims.set(&expiresAt, to: number) }
                return !(key.equals("sub") || key.equals("did") || key.equals("jti") || key.equals("role"))
            }
        }
        guard isObject, let user, let device, let expiresAt, let id, let role else { return nil }
        self.init(user: user, device: device, expiresAt: expiresAt, id: id, role: role)
    }

    /// Sets what was not set: `false` for a claim that comes twice or has no valid value.
    private static func set<Value>(_ target: inout Value?, to value: Value?) -> Bool {
        guard target == nil, let value else { return false }
        target = value
        return true
    }

    /// The claims as the gateway writes them. Nothing in them needs an escape.
    var json: [UInt8] {
        var output: [UInt8] = []
        output.reserveCapacity(256)
        output.append(contentsOf: #"{"sub":""#.utf8)
        user.append(to: &output)
        output.append(contentsOf: #"","did":""#.utf8)
        device.append(to: &output)
        output.append(contentsOf: #"","exp":"#.utf8)
        output.append(contentsOf: String(expiresAt).utf8)
        output.append(contentsOf: #","jti":""#.utf8)
        id.value.append(to: &output)
        output.append(contentsOf: #"","role":""#.utf8)
        output.append(contentsOf: role.rawValue.utf8)
        output.append(contentsOf: #""}"#.utf8)
        return output
    }
}

/// The `jti` of a token: the one that a device's status names is the one that signs it in.
package struct TokenID: UUIDIdentifier {
    package let value: UUIDValue
    package init(_ value: UUIDValue) { self.value = value }
}
