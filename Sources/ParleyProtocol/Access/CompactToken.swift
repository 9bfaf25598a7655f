/// The compact form of a JSON Web Token: header, claims and signature in base64url with dots between (RFC 7515 §3.1).
package enum CompactToken {
    /// The signed text: `base64url(header) . base64url(claims)`, of two JSON objects.
    package static func signingInput(header: [UInt8], claims: [UInt8]) -> [UInt8] {
        var output: [UInt8] = []
        Base64URL.append(header.span, to: &output)
        output.append(UInt8(ascii: "."))
        Base64URL.append(claims.span, to: &output)
        return output
    }

    package static func assemble(signingInput: [UInt8], signature: [UInt8]) -> [UInt8] {
        var output = signingInput
        output.append(UInt8(ascii: "."))
        Base64URL.append(signature.span, to: &output)
        return output
    }
}
