import ParleyProtocol

extension FieldSchema {
    /// A value of the schema, as JSON.
    ///
    /// - Parameter index: the index of the name in a choice.
    func example(choosing index: Int = 0) throws(Rejection) -> String {
        switch form {
        case .boolean: "true"
        case .integer(let range): "\(range.lowerBound)"
        case .text(_, let pattern): FieldSchema.quoted(pattern.example)
        case .base64(let lengths): FieldSchema.quoted(Base64.encode([UInt8](repeating: 0, count: lengths.lowerBound)))
        case .choice(let names): FieldSchema.quoted(names.indices.contains(index) ? names[index] : "")
        case .name(let names): FieldSchema.quoted(names.first ?? "x")
        case .object(let type): try type.example
        case .members(let members): try FieldSchema.example(of: members)
        case .array(let element, let counts): counts.upperBound > 0 ? "[\(try element.example())]" : "[]"
        case .table(let key, let value): "{\(try key.example()):\(try value.example())}"
        case .flatObject, .anything: "{}"
        case .either(let schema, _), .nullable(let schema): try schema.example(choosing: index)
        }
    }

    /// The names of a choice; none of any other schema.
    var names: [String] {
        if case .choice(let names) = form { names } else { [] }
    }

    private static func example(of members: [Member]) throws(Rejection) -> String {
        var texts: [String] = []
        for member in members { texts.append("\(quoted(member.name)):\(try member.schema.example())") }
        return "{\(texts.joined(separator: ","))}"
    }

    private static func quoted(_ text: String) -> String {
        var writer = JSONWriter()
        writer.value(text)
        return String(decoding: writer.finish(), as: UTF8.self)
    }
}

extension GatewayObject {
    fileprivate static var example: String {
        get throws(Rejection) {
            var pass = FieldListing<Self>(ListingCase())
            return String(decoding: try Self(fields: &pass).json, as: UTF8.self)
        }
    }
}

extension JSONObject {
    /// An object from which an example is read.
    init(example: String) throws(Rejection) {
        do throws(JSONError) {
            try self.init(parsing: Array(example.utf8))
        } catch {
            throw Rejection(payload: error)
        }
    }
}
