import ParleyProtocol
import Testing

@Suite("Access tokens")
struct AccessTokenTests {
    static let header = #"{"alg":"EdDSA","typ":"JWT"}"#
    static let claims =
        #"{"sub":"alice","did":"phone","exp":1768469400,"jti":"0b0c6a52-6f2c-4c1e-9a51-0d2b1a2f3c4d","role":"device"}"#

    /// The compact form of parts that need not be valid, with a signature of `signatureLength` bytes.
    static func token(header: String = header, claims: String = claims, signatureLength: Int = 64) -> String {
        let signature = [UInt8](repeating: 0xA5, count: signatureLength)
        return [Array(header.utf8), Array(claims.utf8), signature].map(base64URL).joined(separator: ".")
    }

    static func base64URL(_ bytes: [UInt8]) -> String {
        let alphabet = Array("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_")
        var text = ""
        var bits = 0
        var count = 0
        for byte in bytes {
            bits = (bits << 8 | Int(byte)) & 0xFFFF
            count += 8
            while count >= 6 {
                count -= 6
                text.append(alphabet[(bits >> count) & 63])
            }
        }
        if count > 0 { text.append(alphabet[(bits << (6 - count)) & 63]) }
        return text
    }

    static func parse(_ text: some StringProtocol) -> AccessToken? { parse(Array(text.utf8)) }

    static func parse(_ bytes: [UInt8]) -> AccessToken? { AccessToken(parsing: bytes.span) }

    @Test("a token is read as what it says")
    func reads() throws {
        let text = Self.token()
        let token = try #require(Self.parse(text))
        #expect(token.claims.user.text == "alice")
        #expect(token.claims.device.text == "phone")
        #expect(token.claims.expiresAt == 1_768_469_400)
        #expect("\(token.claims.id)" == "0b0c6a52-6f2c-4c1e-9a51-0d2b1a2f3c4d")
        #expect(token.claims.role == .device)
        #expect(token.signature == [UInt8](repeating: 0xA5, count: 64))
        #expect(String(decoding: token.signedBytes, as: UTF8.self) == text[..<(try #require(text.lastIndex(of: ".")))])
    }

    @Test("what the gateway assembles is read back", arguments: AccessToken.Role.allCases)
    func roundTrip(role: AccessToken.Role) throws {
        let claims = AccessToken.Claims(
            user: UserID("a_B-9"), device: try #require(DeviceID(String(repeating: "x", count: 64))),
            expiresAt: 253_402_300_799, id: .random(), role: role)
        let input = AccessToken.signingInput(for: claims)
        let signature = (0..<64).map { UInt8($0) }
        let compact = CompactToken.assemble(signingInput: input, signature: signature)
        let token = try #require(Self.parse(compact))
        #expect(token.claims == claims)
        #expect(token.signature == signature)
        #expect(token.signedBytes == input)
    }

    @Test(
        "a token is no longer than its claims need, and one of an earlier version, with spaces in them, is read as well"
    )
    func spacesInClaims() throws {
        for length in 1...64 {
            let claims = AccessToken.Claims(
                user: try #require(UserID(String(repeating: "u", count: length))), device: DeviceID("d"),
                expiresAt: 1_768_469_400, id: .random(), role: .device)
            let json =
                #"{"sub":"\#(claims.user)","did":"d","exp":1768469400,"jti":"\#(claims.id)","role":"device"}"#
            let needed = Self.token(header: #"{"alg":"EdDSA","typ":"JWT"}"#, claims: json)
            #expect(needed.hasPrefix(String(decoding: AccessToken.signingInput(for: claims), as: UTF8.self) + "."))
            for spaces in 0..<12 {
                let padded = json.dropLast() + String(repeating: " ", count: spaces) + "}"
                #expect(Self.parse(Self.token(claims: String(padded)))?.claims == claims)
            }
        }
    }

    @Test(
        "other spellings of the same claims are read",
        arguments: [
            #"{"typ":"JWT","alg":"EdDSA"}"#, #"{"alg":"EdDSA"}"#, #" { "alg" : "EdDSA" } "#,
        ])
    func headers(header: String) { #expect(Self.parse(Self.token(header: header)) != nil) }

    @Test("unknown claims are passed over")
    func unknownClaims() {
        let claims = Self.claims.dropLast() + #","iat":1768460000,"iss":"parley"}"#
        #expect(Self.parse(Self.token(claims: String(claims)))?.claims.user.text == "alice")
    }

    @Test(
        "another algorithm, type or an unknown header is refused",
        arguments: [
            #"{"alg":"none","typ":"JWT"}"#, #"{"alg":"None"}"#, #"{"alg":"HS256","typ":"JWT"}"#, #"{"alg":"ES256"}"#,
            #"{"alg":"eddsa"}"#, #"{"typ":"JWT"}"#, #"{}"#, #"{"alg":"EdDSA","typ":"JWS"}"#,
            #"{"alg":"EdDSA","alg":"EdDSA"}"#, #"{"alg":"EdDSA","alg":"none"}"#, #"{"alg":"EdDSA","crit":"exp"}"#,
            #"{"alg":"EdDSA","crit":["exp"]}"#, #"{"alg":"EdDSA","kid":"1"}"#, #"{"alg":["EdDSA"]}"#,
            #"{"alg":"EdDSA"}{}"#, #"[{"alg":"EdDSA"}]"#, #""EdDSA""#, #"{"alg":"EdDSA"#, "",
            #"{"alg":"Ed\u0044SA"}"#, #"{"alg":1}"#, #"{"alg":null}"#,
        ])
    func hostileHeaders(header: String) {
        #expect(Self.parse(Self.token()) != nil)
        #expect(Self.parse(Self.token(header: header)) == nil)
    }

    /// Each: what stands in the good claims, and what is put there.
    static let changedClaims: [(String, String)] = [
        (#""sub":"alice""#, #""sub":"""#), (#""sub":"alice""#, #""sub":"al/ice""#),
        (#""sub":"alice""#, #""sub":"al+ce""#), (#""sub":"alice""#, #""sub":7"#),
        (#""sub":"alice""#, #""sub":"alice","sub":"alice""#), (#""sub":"alice""#, #""sub":"alice","sub":"bob""#),
        (#""sub":"alice","#, ""), (#""sub":"alice""#, #""sub":"al\u0069ce""#), (#""sub":"alice""#, #""sub":"älice""#),
        (#""sub":"alice""#, #""sub":"\#(String(repeating: "a", count: 65))""#),
        (#""did":"phone""#, #""did":"pho:ne""#), (#""did":"phone","#, ""), (#""did":"phone""#, #""did":null"#),
        ("1768469400", "-1"), ("1768469400", "1e9"), ("1768469400", "1.5"), ("1768469400", "01"),
        ("1768469400", #""1768469400""#), ("1768469400", "true"), ("1768469400", ""), ("1768469400", "+1"),
        ("1768469400", "1000000000000000"), ("1768469400", String(repeating: "9", count: 400)),
        ("1768469400", "1768469400,\"exp\":9999999999"), (#""exp":1768469400,"#, ""),
        ("0b0c6a52", "0B0C6A52"), ("0b0c6a52-", "0b0c6a52"), (#""role":"device""#, #""role":"admin""#),
        (#""role":"device""#, #""role":"Device""#), (#","role":"device""#, ""),
        (#""role":"device""#, #""role":"device","role":"operator""#), (#""role":"device"}"#, #""role":"device",}"#),
        (#""role":"device"}"#, #""role":"device""#), (#""role":"device"}"#, #""role":"device"}}"#),
        (#""role":"device"}"#, #""role":"device"} x"#), (#""role":"device"}"#, #""role":"device","x":{}}"#),
        (#""role":"device"}"#, #""role":"device","x":[[[[]]]]}"#), (#"{"sub""#, #"["sub""#), (#"{"sub""#, #""sub""#),
        (#""sub":"#, #""sub" "#), (#""sub":"alice","#, #""sub":"alice" "#), (#"{"sub""#, #"{,"sub""#),
        (#"{"sub""#, "\u{FEFF}{\"sub\""), (#"{"sub""#, #"{'sub'"#), (#"{"sub""#, "/**/{\"sub\""),
        (#""role":"device"}"#, #""role":"device""# + (0..<16).map { #","x\#($0)":1"# }.joined() + "}"),
    ]

    @Test("claims that are missing, doubled or malformed are refused", arguments: changedClaims.indices)
    func hostileClaims(index: Int) throws {
        let (good, bad) = Self.changedClaims[index]
        let position = try #require(Self.claims.firstRange(of: good))
        let claims = Self.claims.replacingCharacters(in: position, with: bad)
        #expect(Self.parse(Self.token(claims: claims)) == nil, "\(claims)")
    }

    @Test(
        "anything but three parts of unpadded canonical base64url is refused",
        arguments: [
            { $0 + "." }, { "." + $0 }, { $0 + ".x" }, { $0.replacing(".", with: "") }, { $0 + "=" }, { $0 + "==" },
            { $0 + " " }, { $0 + "\n" }, { " " + $0 }, { $0.replacing(".", with: "=.") },
            { $0.replacing(".", with: "..") },
            { String($0.dropLast()) }, { String($0.dropLast(2)) + "//" }, { String($0.dropLast()) + "B" },
            { $0.replacing("-", with: "+").replacing("_", with: "/") + "+" }, { $0 + "A" }, { $0 + "AAAA" },
            { _ in "" },
            { _ in "." }, { _ in ".." }, { $0 + String(repeating: "A", count: 4096) }, { "\u{0}" + $0 },
            { String($0.prefix { $0 != "." }) },
            { String($0.prefix(upTo: $0.lastIndex(of: ".") ?? $0.endIndex)) + "." },
        ] as [@Sendable (String) -> String])
    func hostileForms(change: @Sendable (String) -> String) {
        let good = Self.token()
        #expect(Self.parse(good) != nil)
        #expect(Self.parse(change(good)) == nil)
    }

    @Test("a signature has 64 bytes", arguments: [0, 1, 63, 65, 128])
    func signatureLengths(count: Int) { #expect(Self.parse(Self.token(signatureLength: count)) == nil) }
}

extension String {
    fileprivate func replacingCharacters(in range: Range<Index>, with text: String) -> String {
        self[..<range.lowerBound] + text + self[range.upperBound...]
    }
}
