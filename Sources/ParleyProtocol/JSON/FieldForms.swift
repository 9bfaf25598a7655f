// The forms of fields in JSON.

/// A value that reads and writes itself.
package struct OwnForm<Value: JSONReadable>: FieldForm {
    package func read(_ name: String, of object: JSONObject) throws(Rejection) -> Value? {
        try Value.read(name, of: object)
    }

    package func write(_ value: Value, to writer: inout JSONWriter) { value.write(to: &writer) }

    package var schema: FieldSchema { Value.schema }
}

extension FieldPass {
    @inline(__always)
    package mutating func required<Value: JSONReadable>(
        _ name: String, _ value: (Object) -> Value
    ) throws(Failure) -> Value {
        try required(name, value, as: OwnForm<Value>(), default: nil)
    }

    @inline(__always)
    package mutating func required<Value: JSONReadable>(
        _ name: String, _ value: (Object) -> Value, default missing: Value
    ) throws(Failure) -> Value {
        try required(name, value, as: OwnForm<Value>(), default: missing)
    }

    @inline(__always)
    package mutating func required<Form: FieldForm>(
        _ name: String, _ value: (Object) -> Form.Value, as form: Form
    ) throws(Failure) -> Form.Value {
        try required(name, value, as: form, default: nil)
    }

    @inline(__always)
    package mutating func optional<Value: JSONReadable>(
        _ name: String, _ value: (Object) -> Value?, without absence: FieldAbsence = .null
    ) throws(Failure) -> Value? {
        try optional(name, value, as: OwnForm<Value>(), without: absence)
    }

    @inline(__always)
    package mutating func optional<Form: FieldForm>(
        _ name: String, _ value: (Object) -> Form.Value?, as form: Form
    ) throws(Failure) -> Form.Value? {
        try optional(name, value, as: form, without: .null)
    }
}

/// A name from a closed set, written as its raw value.
package struct ChoiceForm<Value: RawRepresentable<String> & CaseIterable>: FieldForm {
    package func read(_ name: String, of object: JSONObject) throws(Rejection) -> Value? {
        try object.choice(name)
    }

    package func write(_ value: Value, to writer: inout JSONWriter) { value.rawValue.write(to: &writer) }

    package var schema: FieldSchema { .choice(Value.self) }
}

extension FieldPass {
    @inline(__always)
    package mutating func required<Value: RawRepresentable<String> & CaseIterable>(
        _ name: String, _ value: (Object) -> Value
    ) throws(Failure) -> Value {
        try required(name, value, as: ChoiceForm<Value>(), default: nil)
    }
}

// A request leaves out a field that has no value.
extension FieldPass where Object: Request {
    @inline(__always)
    mutating func optional<Value: JSONReadable>(
        _ name: String, _ value: (Object) -> Value?
    ) throws(Failure) -> Value? {
        try optional(name, value, as: OwnForm<Value>(), without: .omitted)
    }

    @inline(__always)
    mutating func optional<Value: RawRepresentable<String> & CaseIterable>(
        _ name: String, _ value: (Object) -> Value?
    ) throws(Failure) -> Value? {
        try optional(name, value, as: ChoiceForm<Value>(), without: .omitted)
    }

    @inline(__always)
    mutating func optional<Form: FieldForm>(
        _ name: String, _ value: (Object) -> Form.Value?, as form: Form
    ) throws(Failure) -> Form.Value? {
        try optional(name, value, as: form, without: .omitted)
    }

    /// A value that is false unless the request says true.
    @inline(__always)
    mutating func flag(_ name: String, _ value: (Object) -> Bool) throws(Failure) -> Bool {
        try optional(name, { value($0) ? true : nil }) ?? false
    }

    /// A field of a change, which `null` clears.
    mutating func change<Form: FieldForm>(
        _ name: String, _ value: (Object) -> FieldChange<Form.Value>, as form: Form
    ) throws(Failure) -> FieldChange<Form.Value> {
        let change = try optional(
            name, { value($0) == .unchanged ? nil : value($0) }, as: ChangeForm(form: form), without: .omitted)
        return change ?? .unchanged
    }
}

/// A value that is set, or `null`.
private struct ChangeForm<Form: FieldForm>: FieldForm where Form.Value: Hashable & Sendable {
    let form: Form

    func read(_ name: String, of object: JSONObject) throws(Rejection) -> FieldChange<Form.Value>? {
        if let value = try form.read(name, of: object) { return .set(value) }
        return object.isNull(name) ? .cleared : nil
    }

    func write(_ value: FieldChange<Form.Value>, to writer: inout JSONWriter) {
        switch value {
        case .unchanged, .cleared: writer.token("null")
        case .set(let value): form.write(value, to: &writer)
        }
    }

    var schema: FieldSchema { FieldSchema(.nullable(form.schema)) }
}

/// An object inside another.
package struct ObjectForm<Value: GatewayObject>: FieldForm {
    package func read(_ name: String, of object: JSONObject) throws(Rejection) -> Value? {
        guard let object = try object.object(name) else { return nil }
        return try Value(members: object)
    }

    package func write(_ value: Value, to writer: inout JSONWriter) { value.write(to: &writer) }

    package var schema: FieldSchema { FieldSchema(.object(Value.self)) }
}

/// A text for people, of at most so many Unicode scalars.
package struct TextForm: FieldForm {
    let maximum: Int
    var mayBeEmpty = true

    package func read(_ name: String, of object: JSONObject) throws(Rejection) -> String? {
        let text = try object.text(name, maximum: maximum)
        guard mayBeEmpty || text != "" else { throw .badRequest(name, "empty") }
        return text
    }

    package func write(_ value: String, to writer: inout JSONWriter) { value.write(to: &writer) }

    package var schema: FieldSchema { .text((mayBeEmpty ? 0 : 1)...maximum) }
}

package struct IntegerForm: FieldForm {
    let range: ClosedRange<Int>

    package func read(_ name: String, of object: JSONObject) throws(Rejection) -> Int? {
        try object.integer(name, in: range)
    }

    package func write(_ value: Int, to writer: inout JSONWriter) { value.write(to: &writer) }

    package var schema: FieldSchema { .integer(range) }
}

/// Bytes in base64, bounded by their decoded number.
package struct Base64Form: FieldForm {
    let lengths: ClosedRange<Int>

    package func read(_ name: String, of object: JSONObject) throws(Rejection) -> [UInt8]? {
        try object.base64(name, lengths: lengths)
    }

    package func write(_ value: [UInt8], to writer: inout JSONWriter) {
        writer.quoted { Base64.append(value, to: &$0) }
    }

    package var schema: FieldSchema { .base64(lengths) }
}

/// A value of any kind, as its JSON.
package struct JSONForm: FieldForm {
    let maximumBytes: Int

    package func read(_ name: String, of object: JSONObject) throws(Rejection) -> [UInt8]? {
        try object.json(name, maximumBytes: maximumBytes)
    }

    package func write(_ value: [UInt8], to writer: inout JSONWriter) { writer.raw(value) }

    package var schema: FieldSchema { .anything }
}

/// An array of objects; the packet that they came in bounds how many there are.
package struct ObjectsForm<Element: GatewayObject>: FieldForm {
    var maximum = Int.max

    package func read(_ name: String, of object: JSONObject) throws(Rejection) -> [Element]? {
        guard let objects = try object.objects(name, maximum: maximum) else { return nil }
        var values: [Element] = []
        values.reserveCapacity(objects.count)
        for object in objects { values.append(try Element(members: object)) }
        return values
    }

    package func write(_ value: [Element], to writer: inout JSONWriter) {
        writer.array(value) { $1.write(to: &$0) }
    }

    package var schema: FieldSchema { .array(FieldSchema(.object(Element.self)), 0...maximum) }
}

/// An array of UUIDs.
package struct UUIDsForm<ID: UUIDIdentifier>: FieldForm {
    let maximum: Int

    package func read(_ name: String, of object: JSONObject) throws(Rejection) -> [ID]? {
        try object.uuids(name, maximum: maximum)
    }

    package func write(_ value: [ID], to writer: inout JSONWriter) { writer.array(value) { $1.write(to: &$0) } }

    package var schema: FieldSchema { .array(ID.schema, 0...maximum) }
}

/// An array of texts.
package struct TextsForm: FieldForm {
    package func read(_ name: String, of object: JSONObject) throws(Rejection) -> [String]? {
        try object.strings(name, maximum: .max, or: "not a text") { String(copying: $0) }
    }

    package func write(_ value: [String], to writer: inout JSONWriter) {
        writer.array(value) { $1.write(to: &$0) }
    }

    package var schema: FieldSchema { .array(.text(0...Int.max), 0...Int.max) }
}

/// A table by the ids of users, written in their order.
package struct UserTableForm<Form: FieldForm>: FieldForm {
    let form: Form

    package func read(_ name: String, of object: JSONObject) throws(Rejection) -> [UserID: Form.Value]? {
        guard let table = try object.object(name) else { return nil }
        var values: [UserID: Form.Value] = [:]
        try table.forEachMember { (key, member) throws(Rejection) in
            guard let user = UserID(key) else { throw .badRequest(name, "a name is not a user id") }
            values[user] = try form.read(key, of: member).required(name)
        }
        return values
    }

    package func write(_ value: [UserID: Form.Value], to writer: inout JSONWriter) {
        writer.object { table in
            for (user, value) in value.sorted(by: { $0.key < $1.key }) {
                table.key(user)
                form.write(value, to: &table)
            }
        }
    }

    package var schema: FieldSchema { FieldSchema(.table(key: .user, value: form.schema)) }
}

extension FieldForm where Self == TextForm {
    package static func text(_ maximum: Int) -> TextForm { TextForm(maximum: maximum) }
    static func nonemptyText(_ maximum: Int) -> TextForm { TextForm(maximum: maximum, mayBeEmpty: false) }

    /// The name of an epoch.
    static var epoch: TextForm { TextForm(maximum: Limits.epochCharacters) }
    /// A name that people gave. A later version may allow longer ones than this.
    static var name: TextForm { TextForm(maximum: 1024) }
}

extension FieldForm where Self == IntegerForm {
    /// The place of a record in its log.
    package static var seq: IntegerForm { IntegerForm(range: 1...Int.max) }
    package static func integer(_ range: ClosedRange<Int>) -> IntegerForm { IntegerForm(range: range) }
}

extension FieldForm where Self == Base64Form {
    package static func base64(_ lengths: ClosedRange<Int>) -> Base64Form { Base64Form(lengths: lengths) }
    package static func base64(_ length: Int) -> Base64Form { Base64Form(lengths: length...length) }
}

extension FieldForm {
    package static func choice<Value>() -> Self where Self == ChoiceForm<Value> { ChoiceForm() }
    /// - Parameter maximum: without it, only the size of the packet bounds the number.
    package static func objects<Element>(_ maximum: Int = .max) -> Self where Self == ObjectsForm<Element> {
        ObjectsForm(maximum: maximum)
    }
    package static func object<Value>() -> Self where Self == ObjectForm<Value> { ObjectForm() }
    static func byUser<Form>(_ form: Form) -> Self where Self == UserTableForm<Form> { UserTableForm(form: form) }
    /// - Parameter maximum: without it, only the size of the packet bounds the number.
    static func uuids<ID>(_ maximum: Int = .max) -> Self where Self == UUIDsForm<ID> { UUIDsForm(maximum: maximum) }
}
