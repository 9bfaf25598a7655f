extension EmailAddress: JSONReadable {
    public func write(to writer: inout JSONWriter) { text.write(to: &writer) }

    public static func read(_ name: String, of object: JSONObject) throws(Rejection) -> EmailAddress? {
        guard let text = try object.text(name, maximum: maximumLength) else { return nil }
        guard let address = EmailAddress(text) else { throw .badRequest(name, "not \(textForm)") }
        return address
    }

    public static var schema: FieldSchema {
        // Stricter than the parser, so that generated addresses are within all bounds.
        let atom = "[A-Za-z0-9!#$%&'*+/=?^_`{|}~-]{1,20}"
        let label = "[A-Za-z0-9]([A-Za-z0-9-]{0,20}[A-Za-z0-9])?"
        let pattern = FieldSchema.Pattern(
            "^\(atom)(\\.\(atom)){0,2}@(\(label)\\.){1,3}[A-Za-z]{2,24}$", format: "email", example: "alice@example.com"
        )
        return .text(6...maximumLength, pattern)
    }
}
