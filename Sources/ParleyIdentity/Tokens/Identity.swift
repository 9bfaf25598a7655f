import ParleyProtocol

/// A person's identity at a provider, verified by the provider's signature.
package struct Identity: Hashable, Sendable {
    package let provider: IdentityProviderName
    /// `sub`: never given to another person by this provider (OpenID Connect Core §2). Case matters.
    package let subject: String

    /// - Parameter subject: 1 to 255 characters of printable ASCII.
    /// - Returns: `nil` for any other.
    package init?(provider: IdentityProviderName, subject: String) {
        guard (1...255).contains(subject.utf8.count), subject.utf8.allSatisfy({ (0x20...0x7E).contains($0) }) else {
            return nil
        }
        (self.provider, self.subject) = (provider, subject)
    }
}
