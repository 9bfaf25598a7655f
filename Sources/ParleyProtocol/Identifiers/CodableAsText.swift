/// A value that is encoded as its text.
public protocol CodableAsText: Codable, LosslessStringConvertible {
    /// Completes the error about any other text: "not …".
    static var textForm: String { get }
}

extension CodableAsText {
    public init(from decoder: any Decoder) throws {
        let container = try decoder.singleValueContainer()
        guard let value = Self(try container.decode(String.self)) else {
            throw DecodingError.dataCorruptedError(in: container, debugDescription: "not \(Self.textForm)")
        }
        self = value
    }

    public func encode(to encoder: any Encoder) throws {
        var container = encoder.singleValueContainer()
        try container.encode(description)
    }
}

extension CodableAsText {
    /// - Throws: ``TextFormError`` if the text is not of this form.
    public init(validating text: String) throws(TextFormError) {
        guard let value = Self(text) else { throw TextFormError(form: Self.textForm) }
        self = value
    }
}

extension CodableAsText where Self: ExpressibleByStringLiteral {
    /// A literal of the source. It traps on any text that is not of this form.
    public init(stringLiteral text: String) {
        guard let value = Self(text) else { preconditionFailure("a literal is not \(Self.textForm)") }
        self = value
    }
}

/// A text has another form than its type: which one is asked for. It does not repeat the text.
public struct TextFormError: Error, Hashable, Sendable, CustomStringConvertible {
    let form: String

    public var description: String { "not \(form)" }
}
