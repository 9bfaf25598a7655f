/// A provider of identities in the gateway's settings, such as `apple` and `google`.
public struct IdentityProviderName: LevelIdentifier {
    public let text: String
    public init(_ checked: LevelText) { text = checked.text }

    public static let apple = IdentityProviderName(validated: "apple")
    public static let google = IdentityProviderName(validated: "google")
    /// Stands for email addresses among the ways to sign in; no provider has this name.
    package static let email = IdentityProviderName(validated: "email")
}
