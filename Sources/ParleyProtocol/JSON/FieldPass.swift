/// An object of the contract, such as a request: one side writes it and the other reads it, by one list of its fields.
///
/// The list is an initializer that takes each field from a pass: a ``FieldReader`` takes it from JSON, a
/// ``FieldWriter`` from the object, and writes it on the way. So a field is named once, in its order in JSON, which is
/// also the order of checks:
///
///     package init<Pass: FieldPass<Watermarks>>(fields pass: inout Pass) throws(Pass.Failure) {
///         delivered = try pass.required("delivered", \.delivered)
///         read = try pass.required("read", \.read)
///     }
package protocol GatewayObject: FieldGroup {
    init<Pass: FieldPass<Self>>(fields pass: inout Pass) throws(Pass.Failure)
}

/// Fields that make one value.
package protocol FieldGroup: GatewayValue {
    /// Writes the fields without the brackets around them.
    func writeMembers(to writer: inout JSONWriter)
}

/// A pass through the list of an object's fields.
package protocol FieldPass<Object> {
    associatedtype Object
    /// `Rejection` where fields are read, `Never` where they are written.
    associatedtype Failure: Error

    /// A field that always has a value, and is always written.
    ///
    /// - Parameters:
    ///   - value: the field of a written object.
    ///   - form: its form in JSON, with its bounds when read.
    ///   - missing: the value of a missing field; without this default, an object without the field is refused.
    mutating func required<Form: FieldForm>(
        _ name: String, _ value: (Object) -> Form.Value, as form: Form, default missing: Form.Value?
    ) throws(Failure) -> Form.Value

    /// A field that may be missing.
    mutating func optional<Form: FieldForm>(
        _ name: String, _ value: (Object) -> Form.Value?, as form: Form, without absence: FieldAbsence
    ) throws(Failure) -> Form.Value?

    /// Several fields that make one value, in JSON beside the object's own.
    mutating func part<Part: FieldGroup>(_ value: (Object) -> Part) throws(Failure) -> Part

    /// The same for fields that may be missing; one of them shows whether they are there.
    mutating func part<Part: FieldGroup>(_ value: (Object) -> Part?, shownBy name: String) throws(Failure)
        -> Part?

    /// A value made of the fields before it.
    ///
    /// - Parameter read: the value when reading; `nil` is refused.
    func combined<Value>(
        _ value: (Object) -> Value, from read: @autoclosure () -> Value?, or rejection: @autoclosure () -> Rejection
    ) throws(Failure) -> Value

    /// Refuses an object that has more than one of these fields.
    mutating func atMostOne(of names: String...) throws(Failure)

    /// A condition that every written object meets, and that is checked in a read one.
    func check(_ condition: @autoclosure () -> Bool, or rejection: @autoclosure () -> Rejection) throws(Failure)
}

/// The written form of an optional field without a value. Both are read.
package enum FieldAbsence {
    /// As `null`.
    case null
    /// Not at all.
    case omitted
}

/// The form of a field's value in JSON.
package protocol FieldForm<Value> {
    associatedtype Value

    /// - Returns: `nil` for a member that is missing or `null`.
    /// - Throws: a `bad_request` that names the member.
    func read(_ name: String, of object: JSONObject) throws(Rejection) -> Value?

    func write(_ value: Value, to writer: inout JSONWriter)

    /// The values that it reads.
    var schema: FieldSchema { get }
}

// MARK: Reading

/// Takes the fields from JSON.
package struct FieldReader<Object>: FieldPass {
    private let object: JSONObject

    package init(_ object: JSONObject) { self.object = object }

    package func required<Form: FieldForm>(
        _ name: String, _ value: (Object) -> Form.Value, as form: Form, default missing: Form.Value?
    ) throws(Rejection) -> Form.Value {
        try (form.read(name, of: object) ?? missing).required(name)
    }

    package func optional<Form: FieldForm>(
        _ name: String, _ value: (Object) -> Form.Value?, as form: Form, without absence: FieldAbsence
    ) throws(Rejection) -> Form.Value? {
        try form.read(name, of: object)
    }

    package func part<Part: FieldGroup>(_ value: (Object) -> Part) throws(Rejection) -> Part {
        try Part(members: object)
    }

    package func part<Part: FieldGroup>(
        _ value: (Object) -> Part?, shownBy name: String
    ) throws(Rejection) -> Part? {
        object.has(name) ? try Part(members: object) : nil
    }

    package func combined<Value>(
        _ value: (Object) -> Value, from read: @autoclosure () -> Value?, or rejection: @autoclosure () -> Rejection
    ) throws(Rejection) -> Value {
        guard let value = read() else { throw rejection() }
        return value
    }

    package func atMostOne(of names: String...) throws(Rejection) {
        let named = names.filter(object.has)
        guard named.count <= 1 else { throw .badRequest(named.joined(separator: ", "), "at most one of them") }
    }

    package func check(
        _ condition: @autoclosure () -> Bool, or rejection: @autoclosure () -> Rejection
    ) throws(Rejection) {
        guard condition() else { throw rejection() }
    }
}

extension GatewayObject {
    package init(members object: JSONObject) throws(Rejection) {
        var pass = FieldReader<Self>(object)
        try self.init(fields: &pass)
    }
}

// MARK: Writing

/// Takes the fields from an object and writes them.
///
/// Everything here is inlined into the object's own list, so that it costs no more than writing each member in turn.
@safe package struct FieldWriter<Object>: FieldPass {
    /// Points at the object during one call of `writeMembers`, which this pass does not outlive, so that the object is
    /// not copied.
    private let object: UnsafePointer<Object>
    fileprivate var writer = JSONWriter()

    @inline(__always)
    fileprivate init(_ object: UnsafePointer<Object>) { unsafe self.object = object }

    @inline(__always)
    package mutating func required<Form: FieldForm>(
        _ name: String, _ value: (Object) -> Form.Value, as form: Form, default missing: Form.Value?
    ) -> Form.Value {
        let value = unsafe value(object.pointee)
        writer.key(name)
        form.write(value, to: &writer)
        return value
    }

    @inline(__always)
    package mutating func optional<Form: FieldForm>(
        _ name: String, _ value: (Object) -> Form.Value?, as form: Form, without absence: FieldAbsence
    ) -> Form.Value? {
        let value = unsafe value(object.pointee)
        if let value {
            writer.key(name)
            form.write(value, to: &writer)
        } else if absence == .null {
            writer.key(name)
            writer.token("null")
        }
        return value
    }

    @inline(__always)
    package mutating func part<Part: FieldGroup>(_ value: (Object) -> Part) -> Part {
        let value = unsafe value(object.pointee)
        value.writeMembers(to: &writer)
        return value
    }

    @inline(__always)
    package mutating func part<Part: FieldGroup>(_ value: (Object) -> Part?, shownBy name: String) -> Part? {
        let value = unsafe value(object.pointee)
        value?.writeMembers(to: &writer)
        return value
    }

    @inline(__always)
    package func combined<Value>(
        _ value: (Object) -> Value, from read: @autoclosure () -> Value?, or rejection: @autoclosure () -> Rejection
    ) -> Value {
        unsafe value(object.pointee)
    }

    @inline(__always)
    package func atMostOne(of names: String...) {}

    @inline(__always)
    package func check(_ condition: @autoclosure () -> Bool, or rejection: @autoclosure () -> Rejection) {}
}

extension GatewayObject {
    @inline(__always)
    package func writeMembers(to writer: inout JSONWriter) {
        unsafe withUnsafePointer(to: self) { object in
            var pass = unsafe FieldWriter(object)
            // The buffer moves into the pass and back: a second reference to it would make the next write copy the
            // buffer.
            swap(&pass.writer, &writer)
            _ = Self(fields: &pass)
            swap(&pass.writer, &writer)
        }
    }

    package func write(to writer: inout JSONWriter) {
        writer.object { writeMembers(to: &$0) }
    }

    package var json: [UInt8] {
        var writer = JSONWriter()
        write(to: &writer)
        return writer.finish()
    }
}
