import ParleyProtocol

/// Writes schemas of JSON Schema 2020-12, which OpenAPI 3.1 uses, and collects the objects that they reference.
struct SchemaComponents {
    /// By the names in `#/components/schemas`.
    private(set) var objects: [String: any GatewayObject.Type] = [:]

    /// The schema of a field's value.
    mutating func element(of field: ListedField) -> JSONElement {
        var element = element(field.schema, isNullable: field.isNullable)
        if let usual = field.usual { element.append("default", .literal(usual)) }
        return element
    }

    mutating func element(_ schema: FieldSchema, isNullable: Bool = false) -> JSONElement {
        switch schema.form {
        case .boolean:
            return .object(("type", .type("boolean", isNullable)))
        case .integer(let range):
            return .object(
                ("type", .type("integer", isNullable)), ("minimum", .number(range.lowerBound)),
                ("maximum", .number(range.upperBound)))
        case .text(let lengths, let pattern):
            return .text(lengths, pattern, isNullable)
        case .base64(let lengths):
            return .base64(lengths, isNullable)
        case .choice(let names):
            let values = names.map(JSONElement.string) + (isNullable ? [.literal("null")] : [])
            return .object(("type", .type("string", isNullable)), ("enum", .array(values)))
        case .name(let names):
            return .object(
                ("type", .type("string", isNullable)), ("maxLength", .number(64)),
                ("examples", .array(names.map(JSONElement.string))))
        case .object(let type):
            return .nullable(reference(to: type), isNullable)
        case .members(let members):
            return object(members, isNullable)
        case .array(let element, let counts):
            return .array(self.element(element), counts, isNullable)
        case .table(let key, let value):
            return .object(
                ("type", .type("object", isNullable)), ("propertyNames", element(key)),
                ("additionalProperties", element(value)))
        case .flatObject:
            let values = ["string", "number", "boolean", "null"].map(JSONElement.string)
            return .object(
                ("type", .type("object", isNullable)),
                ("additionalProperties", .object(("type", .array(values)))))
        case .anything:
            return .object([])
        case .either(let one, let other):
            let schemas = [element(one), element(other)]
            return .object(("anyOf", .array(schemas + (isNullable ? [.object(("type", .string("null")))] : []))))
        case .nullable(let schema):
            return element(schema, isNullable: true)
        }
    }

    private mutating func object(_ members: [FieldSchema.Member], _ isNullable: Bool) -> JSONElement {
        var properties: [JSONElement.Member] = []
        for member in members {
            properties.append(
                JSONElement.Member(key: member.name, value: element(member.schema, isNullable: !member.isRequired)))
        }
        return .object(
            ("type", .type("object", isNullable)), ("properties", .object(properties)),
            ("required", .array(members.filter(\.isRequired).map { .string($0.name) })))
    }

    mutating func reference(to type: any GatewayObject.Type) -> JSONElement {
        let name = SchemaComponents.name(of: type)
        objects[name] = type
        return .reference(name)
    }

    /// `ListPageOfChallenge` of `ListPage<Challenge>`, and `LeaderboardEntry` of `Leaderboard.Entry`.
    private static func name(of type: any GatewayObject.Type) -> String {
        String(reflecting: type).replacing("ParleyProtocol.", with: "").replacing("<", with: "Of")
            .filter { $0 != ">" && $0 != "." }
    }
}

// MARK: Elements

extension JSONElement {
    static func object(_ members: (String, JSONElement)...) -> JSONElement {
        .object(members.map { Member(key: $0.0, value: $0.1) })
    }

    static func number(_ number: Int) -> JSONElement { .literal("\(number)") }

    static func reference(_ name: String, in section: String = "schemas") -> JSONElement {
        .object(("$ref", .string("#/components/\(section)/\(name)")))
    }

    static func strings(_ texts: [String]) -> JSONElement { .array(texts.map(JSONElement.string)) }

    /// No effect on other elements than objects.
    mutating func append(_ key: String, _ value: JSONElement) {
        guard case .object(let members) = self else { return }
        self = .object(members + [Member(key: key, value: value)])
    }

    fileprivate static func type(_ name: String, _ isNullable: Bool) -> JSONElement {
        isNullable ? .strings([name, "null"]) : .string(name)
    }

    fileprivate static func nullable(_ schema: JSONElement, _ isNullable: Bool) -> JSONElement {
        isNullable ? .object(("anyOf", .array([schema, .object(("type", .string("null")))]))) : schema
    }

    fileprivate static func text(
        _ lengths: ClosedRange<Int>, _ pattern: FieldSchema.Pattern, _ isNullable: Bool
    ) -> JSONElement {
        var schema = JSONElement.object(("type", .type("string", isNullable)))
        if lengths.lowerBound > 0 { schema.append("minLength", .number(lengths.lowerBound)) }
        schema.append("maxLength", .number(lengths.upperBound))
        schema.append("pattern", .string(pattern.expression))
        if let format = pattern.format { schema.append("format", .string(format)) }
        return schema
    }

    fileprivate static func array(
        _ element: JSONElement, _ counts: ClosedRange<Int>, _ isNullable: Bool
    ) -> JSONElement {
        var schema = JSONElement.object(("type", .type("array", isNullable)), ("items", element))
        if counts.lowerBound > 0 { schema.append("minItems", .number(counts.lowerBound)) }
        if counts.upperBound < Int.max { schema.append("maxItems", .number(counts.upperBound)) }
        return schema
    }

    /// Four characters for three bytes. The last characters leave up to two bytes open, unless the length is fixed.
    fileprivate static func base64(_ lengths: ClosedRange<Int>, _ isNullable: Bool) -> JSONElement {
        func characters(_ bytes: Int) -> JSONElement { .number((bytes + 2) / 3 * 4) }
        let ends = ["", "[A-Za-z0-9+/][AQgw]==", "[A-Za-z0-9+/]{2}[AEIMQUYcgkosw048]="]
        let pattern =
            if lengths.count == 1 {
                "^[A-Za-z0-9+/]{\(lengths.lowerBound / 3 * 4)}\(ends[lengths.lowerBound % 3])$"
            } else {
                "^([A-Za-z0-9+/]{4})*(\(ends[1])|\(ends[2]))?$"
            }
        return .object(
            ("type", .type("string", isNullable)), ("contentEncoding", .string("base64")),
            ("minLength", characters(lengths.lowerBound)), ("maxLength", characters(lengths.upperBound)),
            ("pattern", .string(pattern)))
    }
}
