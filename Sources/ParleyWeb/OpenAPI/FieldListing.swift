import ParleyProtocol

/// A field of an object, as its list has it.
struct ListedField: Sendable {
    var name: String
    var schema: FieldSchema
    /// Whether an object without the field is refused.
    var isRequired: Bool
    /// Whether the field stands in every written object, `null` or not.
    var isAlwaysWritten: Bool
    /// Whether `null` stands for no value.
    var isNullable: Bool
    /// The value of a missing field, as JSON.
    var usual: String?
}

/// The case of one run through a list of fields.
struct ListingCase: Sendable {
    /// The optional fields that are there; all of them if `nil`.
    var options: Set<String>?
    /// The field of a choice, and the index of its name. Other choices have their first name.
    var choice: (field: String, index: Int)?

    func has(_ name: String) -> Bool { options?.contains(name) ?? true }
}

/// Takes an object's fields from examples that their schemas make, and lists the fields on the way.
struct FieldListing<Object>: FieldPass {
    typealias Failure = Rejection

    private let listed: ListingCase
    private(set) var fields: [ListedField] = []
    /// The optional fields, and those that show whether a group is there.
    private(set) var options: [String] = []
    /// Fields of which an object has at most one.
    private(set) var exclusive: [[String]] = []

    init(_ listed: ListingCase) { self.listed = listed }

    mutating func required<Form: FieldForm>(
        _ name: String, _ value: (Object) -> Form.Value, as form: Form, default missing: Form.Value?
    ) throws(Rejection) -> Form.Value {
        let usual = missing.map { value in
            var writer = JSONWriter()
            form.write(value, to: &writer)
            return String(decoding: writer.finish(), as: UTF8.self)
        }
        fields.append(
            ListedField(
                name: name, schema: form.schema, isRequired: missing == nil, isAlwaysWritten: true,
                isNullable: missing != nil, usual: usual))
        return try example(name, form)
    }

    mutating func optional<Form: FieldForm>(
        _ name: String, _ value: (Object) -> Form.Value?, as form: Form, without absence: FieldAbsence
    ) throws(Rejection) -> Form.Value? {
        options.append(name)
        fields.append(
            ListedField(
                name: name, schema: form.schema, isRequired: false, isAlwaysWritten: absence == .null,
                isNullable: true, usual: nil))
        return listed.has(name) ? try example(name, form) : nil
    }

    mutating func part<Part: FieldGroup>(_ value: (Object) -> Part) throws(Rejection) -> Part {
        try part(Part.self)
    }

    mutating func part<Part: FieldGroup>(
        _ value: (Object) -> Part?, shownBy name: String
    ) throws(Rejection) -> Part? {
        options.append(name)
        let start = fields.count
        let part = try part(Part.self)
        guard listed.has(name) else {
            fields.removeSubrange(start...)
            return nil
        }
        return part
    }

    func combined<Value>(
        _ value: (Object) -> Value, from read: @autoclosure () -> Value?, or rejection: @autoclosure () -> Rejection
    ) throws(Rejection) -> Value {
        guard let value = read() else { throw rejection() }
        return value
    }

    mutating func atMostOne(of names: String...) { exclusive.append(names) }

    func check(_ condition: @autoclosure () -> Bool, or rejection: @autoclosure () -> Rejection) throws(Rejection) {
        guard condition() else { throw rejection() }
    }
}

extension FieldListing {
    /// The example of a field's schema, read as the field's value.
    private func example<Form: FieldForm>(_ name: String, _ form: Form) throws(Rejection) -> Form.Value {
        let index = listed.choice?.field == name ? listed.choice?.index : nil
        let value = try form.schema.example(choosing: index ?? 0)
        return try form.read(name, of: JSONObject(example: #"{"\#(name)":\#(value)}"#)).required(name)
    }

    private mutating func part<Part: FieldGroup>(_: Part.Type) throws(Rejection) -> Part {
        let part: any FieldGroup
        if let type = Part.self as? any GatewayObject.Type {
            part = try list(type)
        } else if let type = Part.self as? any (FieldGroup & DescribedFields).Type {
            part = try describe(type)
        } else {
            throw .internalFault
        }
        guard let part = part as? Part else { throw .internalFault }
        return part
    }

    private mutating func list<Part: GatewayObject>(_: Part.Type) throws(Rejection) -> Part {
        var pass = FieldListing<Part>(listed)
        defer {
            fields += pass.fields
            options += pass.options
            exclusive += pass.exclusive
        }
        return try Part(fields: &pass)
    }

    /// The first member of each variant names it.
    private mutating func describe<Part: DescribedFields>(_: Part.Type) throws(Rejection) -> Part {
        let variants = Part.variants
        guard let name = variants.first?.first?.name else { throw .internalFault }
        let index = listed.choice?.field == name ? listed.choice?.index ?? 0 : 0
        guard variants.indices.contains(index) else { throw .internalFault }
        let names = FieldSchema(.choice(variants.flatMap { $0.first?.schema.names ?? [] }))
        for member in variants[index] {
            fields.append(
                ListedField(
                    name: member.name, schema: member.name == name ? names : member.schema,
                    isRequired: member.isRequired, isAlwaysWritten: member.isRequired,
                    isNullable: !member.isRequired, usual: nil))
        }
        return try Part(members: JSONObject(example: FieldSchema(.members(variants[index])).example()))
    }
}
