import ParleyProtocol

// The schemas of whole objects.

extension SchemaComponents {
    /// The schema of an object that the gateway writes. A later version may add members.
    mutating func reply(_ shape: ObjectShape) -> JSONElement {
        var properties: [JSONElement.Member] = []
        for field in shape.fields {
            var field = field
            // A field with a usual value is written with its value.
            field.isNullable = field.isAlwaysWritten && !field.isRequired && field.usual == nil
            field.usual = nil
            properties.append(JSONElement.Member(key: field.name, value: element(of: field)))
        }
        return .object(
            ("type", .string("object")), ("properties", .object(properties)),
            ("required", .strings(shape.fields.map(\.name).filter(shape.alwaysWritten.contains))))
    }

    /// The schema of a request's body. Unknown members are ignored.
    mutating func request(_ shape: ObjectShape) -> JSONElement {
        let ofVariants = Set(shape.variants?.cases.flatMap { $0.fields.map(\.name) } ?? [])
        let dependent = Set(shape.dependencies.keys).union(shape.dependencies.values.joined())
        var common = shape.fields.filter { !ofVariants.contains($0.name) }
        // To the schema a `null` would be a value, to the gateway it is none.
        for index in common.indices where dependent.contains(common[index].name) { common[index].isNullable = false }
        var properties = members(common)
        properties.append(JSONElement.Member(key: "request_id", value: SchemaComponents.requestID))
        var schema = JSONElement.object(
            ("type", .string("object")), ("properties", .object(properties)),
            ("required", .strings(common.map(\.name).filter(shape.required.contains))),
            ("maxProperties", .number(Limits.objectMembers)))
        if let variants = shape.variants { schema.append("oneOf", cases(variants, of: shape)) }
        if !shape.dependencies.isEmpty {
            let dependencies = shape.dependencies.sorted { $0.key < $1.key }.map {
                JSONElement.Member(key: $0.key, value: .strings($0.value.sorted()))
            }
            schema.append("dependentRequired", .object(dependencies))
        }
        if !shape.alternatives.isEmpty { schema.append("oneOf", alternatives(shape)) }
        let pairs = shape.exclusive.flatMap(SchemaComponents.pairs)
        if !pairs.isEmpty { schema.append("not", .object(("anyOf", .array(pairs)))) }
        return schema
    }

    /// The name that a reply repeats (protocol §4).
    static let requestID = JSONElement.object(
        ("type", .strings(["string", "null"])), ("maxLength", .number(Limits.requestIDCharacters)),
        ("pattern", .string(FieldSchema.Pattern.any.expression)))

    private mutating func members(_ fields: [ListedField]) -> [JSONElement.Member] {
        var members: [JSONElement.Member] = []
        for field in fields { members.append(JSONElement.Member(key: field.name, value: element(of: field))) }
        return members
    }

    /// One schema for each name of the choice, which is a field unless the door adds it.
    private mutating func cases(_ variants: ObjectShape.Variants, of shape: ObjectShape) -> JSONElement {
        .array(
            variants.cases.map { names, fields in
                let choice = JSONElement.Member(key: variants.choice, value: .object(("enum", .strings(names))))
                let isNamed = shape.required.contains(variants.choice) || !names.contains(APICall.suiteOfOlderApps)
                let required = (isNamed ? [variants.choice] : []) + fields.filter(\.isRequired).map(\.name)
                return .object(
                    ("properties", .object([choice] + members(fields))), ("required", .strings(required)))
            })
    }

    /// One schema for each of the fields of which one must be there; a Boolean must be true.
    private mutating func alternatives(_ shape: ObjectShape) -> JSONElement {
        .array(
            shape.alternatives.map { name, needed in
                let needed = needed.subtracting(shape.required)
                let properties = shape.fields.filter { needed.contains($0.name) }.map { field in
                    let value: JSONElement =
                        if case .boolean = field.schema.form {
                            .object(("const", .literal("true")))
                        } else {
                            element(field.schema)
                        }
                    return JSONElement.Member(key: field.name, value: value)
                }
                return .object(("properties", .object(properties)), ("required", .strings(needed.sorted())))
            })
    }

    private static func pairs(of names: [String]) -> [JSONElement] {
        names.indices.flatMap { index in
            names[..<index].map { .object(("required", .strings([$0, names[index]]))) }
        }
    }
}
