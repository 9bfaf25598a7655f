import OpenSSL
import ParleyProtocol

/// A JSON Web Token by which the gateway names itself to a push service (RFC 7519).
enum SignedToken {
    /// - Parameters:
    ///   - sign: by the algorithm that the header names as `alg`.
    ///   - header: writes all of its members.
    static func make(
        by sign: (Span<UInt8>) throws(OpenSSLError) -> [UInt8], header: (inout JSONWriter) -> Void,
        claims: (inout JSONWriter) -> Void
    ) throws(TokenError) -> String {
        let input = CompactToken.signingInput(header: JSONWriter.object(header), claims: JSONWriter.object(claims))
        guard let signature = try? sign(input.span) else { throw .notSigned }
        return String(decoding: CompactToken.assemble(signingInput: input, signature: signature), as: UTF8.self)
    }
}

/// Why there is no token to ask a service with.
enum TokenError: Error, Hashable, Sendable {
    case notSigned
}
