import OpenSSL
import ParleyIdentity
import ParleyProtocol
import TestSupport

/// A token that is not to be taken, made from a good one.
package struct WrongToken: Sendable, CustomStringConvertible {
    /// What a maker has at hand.
    package struct Means {
        let rsa: SigningKey
        let p256: SigningKey
        let token: TokenText

        /// - Parameter token: a good one, of the key of RSA.
        package init(rsa: SigningKey, p256: SigningKey, token: TokenText) {
            (self.rsa, self.p256, self.token) = (rsa, p256, token)
        }
    }

    package let description: String
    package let fault: TokenFault
    package let make: @Sendable (Means) throws -> [UInt8]

    init(_ name: String, _ fault: TokenFault, _ make: @escaping @Sendable (Means) throws -> [UInt8]) {
        (description, self.fault, self.make) = (name, fault, make)
    }

    /// One that is signed by its provider's key, and wrong.
    static func signed(
        _ name: String, _ fault: TokenFault, _ change: @escaping @Sendable (inout TokenText) -> Void
    ) -> WrongToken {
        WrongToken(name, fault) { means in
            var token = means.token
            change(&token)
            return try token.signed(by: means.rsa)
        }
    }

    /// One whose text is changed after it was signed.
    static func text(
        _ name: String, _ fault: TokenFault, _ change: @escaping @Sendable ([UInt8]) -> [UInt8]
    ) -> WrongToken {
        WrongToken(name, fault) { means in change(try means.token.signed(by: means.rsa)) }
    }

    static func claim(_ name: String, _ value: String?, _ fault: TokenFault) -> WrongToken {
        signed("\(name) \(value ?? "missing")", fault) { $0.claims[name] = value }
    }

    /// A claim of a time so many seconds after the token was issued.
    static func time(_ name: String, _ seconds: Int, _ fault: TokenFault) -> WrongToken {
        signed("\(name) \(seconds) s from then", fault) { $0.claims[name] = "\($0.issuedAt + seconds)" }
    }

    static func header(_ name: String, _ value: String?, _ fault: TokenFault) -> WrongToken {
        signed("header \(name) \(value ?? "missing")", fault) { $0.header[name] = value }
    }
}

extension WrongToken {
    /// All but those of nonces, which depend on what is given beside the token, and of the exact limits of times.
    package static let all = claims + headers + forms + signatures

    /// In bytes.
    private static let longest = 8192

    private static let claims: [WrongToken] = [
        claim("iss", #""https://other.example""#, .issuer), claim("iss", nil, .malformedClaim),
        claim("iss", "7", .malformedClaim), claim("iss", "\"http://loca\u{017F}host\"", .malformedClaim),
        claim("aud", #""other.example""#, .audience), claim("aud", "[]", .audience), claim("aud", nil, .malformedClaim),
        claim("aud", #"["app.example","other.example"]"#, .audience), claim("aud", "[7]", .malformedClaim),
        claim("aud", #""APP.example""#, .audience), claim("aud", #"["app.example","web.example"]"#, .authorizedParty),
        claim("azp", #""other.example""#, .authorizedParty), claim("azp", "true", .malformedClaim),
        time("exp", -600, .expired), claim("exp", nil, .malformedClaim),
        claim("exp", "\"9999999999\"", .malformedClaim),
        claim("exp", "1e300", .malformedClaim), claim("exp", "-1", .malformedClaim),
        time("iat", 600, .issuedInFuture), claim("iat", nil, .malformedClaim),
        time("iat", -7200, .tooOld), claim("iat", "0", .tooOld), time("nbf", 600, .notYetValid),
        claim("nbf", "\"x\"", .malformedClaim), claim("sub", nil, .subject), claim("sub", #""""#, .subject),
        claim("sub", "17", .subject), claim("sub", "\"\(String(repeating: "s", count: 256))\"", .subject),
        claim("sub", "\"\u{e9}\"", .subject), claim("sub", #""a\nb""#, .subject),
        claim("nonce", "\"n\"", .nonceNotGiven),
        claim("nonce", "7", .malformedClaim),
    ]

    private static let headers: [WrongToken] = [
        header("alg", nil, .algorithm), header("alg", "null", .algorithm), header("alg", #""none""#, .algorithm),
        header("alg", #""NONE""#, .algorithm), header("alg", #""rs256""#, .algorithm),
        header("alg", #""RS512""#, .algorithm), header("alg", #""PS256""#, .algorithm),
        header("alg", #""ES384""#, .algorithm), header("alg", #""EdDSA""#, .algorithm),
        header("alg", "256", .algorithm),
        header("jwk", "{}", .keyInHeader), header("jwk", "null", .keyInHeader),
        header("jku", #""https://other.example/keys""#, .keyInHeader), header("x5u", #""https://o""#, .keyInHeader),
        header("x5c", "[]", .keyInHeader), header("crit", #"["exp"]"#, .criticalHeader),
        header("crit", "[]", .criticalHeader), header("typ", #""at+jwt""#, .type), header("typ", "null", .type),
        header("kid", nil, .noKeyID), header("kid", #""""#, .noKeyID), header("kid", "1", .noKeyID),
        header("kid", #""another""#, .unknownKey), header("kid", #""../keys""#, .unknownKey),
    ]

    private static let forms: [WrongToken] = [
        text("empty", .notCompact) { _ in [] }, text("dots", .notCompact) { _ in Array("..".utf8) },
        text("without a signature", .notCompact) { token in Array(token[...(token.lastIndex(of: dot) ?? 0)]) },
        text("two parts", .notCompact) { token in Array(token[..<(token.lastIndex(of: dot) ?? 0)]) },
        text("five parts, as one that is encrypted", .notCompact) { $0 + Array(".e30.e30".utf8) },
        text("cut", .signature) { Array($0.dropLast(2)) },
        text("one character short", .notCompact) { Array($0.dropLast(1)) + Array("=".utf8) },
        text("padded", .notCompact) { $0 + Array("==".utf8) }, text("with a line's end", .notCompact) { $0 + [10] },
        text("with a space before it", .notCompact) { [32] + $0 },
        text("too long", .tooLong) { $0 + [UInt8](repeating: 65, count: longest) },
        signed("a header that is an array", .headerNotJSON) { $0.headerJSON = #"["RS256"]"# },
        signed("a header with a name twice", .headerNotJSON) {
            $0.headerJSON = #"{"alg":"RS256","alg":"RS256","kid":"r"}"#
        },
        signed("claims that are no object", .claimsNotJSON) { $0.claimsJSON = "[]" },
        signed("claims with something behind them", .claimsNotJSON) { $0.claimsJSON = "{}{}" },
        signed("a claim twice", .claimsNotJSON) { $0.claimsJSON = #"{"sub":"a","sub":"b"}"# },
        signed("a claim twice in two spellings", .claimsNotJSON) { $0.claimsJSON = #"{"sub":"a","\u0073ub":"b"}"# },
        signed("deep claims", .claimsNotJSON) {
            $0.claims["x"] = String(repeating: "[", count: 500) + String(repeating: "]", count: 500)
        },
        signed("very many claims", .claimsNotJSON) { token in
            for number in 0..<100 { token.claims["c\(number)"] = "1" }
        },
    ]

    private static let signatures: [WrongToken] = [
        WrongToken("signed by another key", .signature) { means in
            try means.token.signed(by: .rsa("r", isOther: true))
        },
        WrongToken("none, with the name of a key", .algorithm) { means in
            var token = means.token
            token.header["alg"] = #""none""#
            return Array(token.signed([0]))
        },
        WrongToken("HS256 with the public key as the secret", .algorithm) { means in
            var token = means.token
            token.header["alg"] = #""HS256""#
            return token.signed(try hmac(token.signingInput, key: Array(means.rsa.jwk.utf8)))
        },
        WrongToken("ES256 with a key of RSA", .keyOfOtherAlgorithm) { means in
            var token = means.token
            token.header["alg"] = #""ES256""#
            return try token.signed(by: means.p256)
        },
        WrongToken("RS256 with a key of P-256", .keyOfOtherAlgorithm) { means in
            var token = means.token
            token.header["kid"] = "\"\(means.p256.id)\""
            return try token.signed(by: means.rsa)
        },
        es256("of zeros") { _ in [UInt8](repeating: 0, count: 64) },
        es256("whose r is zero") { [UInt8](repeating: 0, count: 32) + $0[32...] },
        es256("whose s is zero") { $0[..<32] + [UInt8](repeating: 0, count: 32) },
        es256("whose s is the order") { $0[..<32] + hex(order) },
        es256("in DER") { signature in
            let numbers = [signature[..<32], signature[32...]].map { [2, 33, 0] + $0 }
            return [0x30, 70] + numbers[0] + numbers[1]
        },
        es256("longer than it is") { $0 + [0] },
        WrongToken("claims changed after signing", .signature) { means in
            var other = means.token
            other.claims["sub"] = #""subject-2""#
            return other.signed(try means.rsa.sign(means.token.signingInput))
        },
        WrongToken("a header changed after signing", .signature) { means in
            var other = means.token
            other.header["x"] = "1"
            return other.signed(try means.rsa.sign(means.token.signingInput))
        },
    ]

    private static let dot = UInt8(ascii: ".")

    /// Of the group of P-256 (SEC 2 §2.4.2).
    package static let order = "FFFFFFFF00000000FFFFFFFFFFFFFFFFBCE6FAADA7179E84F3B9CAC2FC632551"

    private static func es256(
        _ name: String, _ change: @escaping @Sendable ([UInt8]) -> [UInt8]
    ) -> WrongToken {
        WrongToken("a signature of ES256 \(name)", .signature) { means in
            var token = means.token
            token.header["alg"] = #""ES256""#
            token.header["kid"] = "\"\(means.p256.id)\""
            return token.signed(change(try means.p256.sign(token.signingInput)))
        }
    }
}
