import ParleyProtocol
import Sodium

/// Signs access tokens with the gateway's key.
package struct TokenIssuer: Sendable {
    private let key: Ed25519.SigningKey

    package init(key: Ed25519.SigningKey) { self.key = key }

    /// The token in compact form: a device's password.
    package func issue(_ claims: AccessToken.Claims) throws(SodiumError) -> String {
        let input = AccessToken.signingInput(for: claims)
        let signature = try key.sign(input.span)
        return String(decoding: CompactToken.assemble(signingInput: input, signature: signature), as: UTF8.self)
    }

    /// 32 secret bytes that follow from the gateway's key, others for each purpose.
    func secret(for purpose: StaticString) throws(SodiumError) -> [UInt8] {
        // No token begins like this: theirs begin with the base64 of a header.
        let signature = try key.sign(Array("parley/v1 secret for \(purpose)".utf8).span)
        return try BLAKE2b.hash(signature.span, length: .bytes32)
    }
}
