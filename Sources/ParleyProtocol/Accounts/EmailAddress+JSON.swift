extension EmailAddress: JSONReadable {
    public func write(to writer: inout JSONWriter) { text.write(to: &writer) }

    public static func read(_ name: String, of object: JSONObject) throws(Rejection) -> EmailAddress? {
        guard let text = try object.text(name, maximum: maximumLength) else { return nil }
        guard let address = EmailAddress(text) else { throw .badRequest(name, "not \(textForm)") }
        return address
    }
}

extension IdentityProviderName {
    /// Stands for addresses of email among the ways to sign in; no provider has this name.
    package static let email = IdentityProviderName(validated: "email")
}
