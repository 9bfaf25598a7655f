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
