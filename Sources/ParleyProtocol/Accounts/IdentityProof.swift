/// A provider's identity token.
public struct IdentityProof: GatewayObject, PrintedWithoutContent {
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

    /// Without the token.
    public var description: String { "an identity token of \(provider)" }

    package init<Pass: FieldPass<IdentityProof>>(fields pass: inout Pass) throws(Pass.Failure) {
        provider = try pass.required("provider", \.provider)
        token = try pass.required("id_token", \.token, as: .nonemptyText(Self.longestToken))
        nonce = try pass.optional(
            "nonce", \.nonce, as: .nonemptyText(Self.longestNonce), without: .omitted)
    }
}
