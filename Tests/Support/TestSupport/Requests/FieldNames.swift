import ParleyProtocol

/// Lists the fields of an object by its own list of them, in the notation of `docs/topics.md`: `id, name?, limit?=50`.
package struct FieldNames<Object>: FieldPass {
    private let object: Object
    /// An object of the gateway's holds its defaults, which a request leaves out.
    private let isRequest: Bool
    private var names: [String] = []

    private init(_ object: Object, isRequest: Bool) {
        self.object = object
        self.isRequest = isRequest
    }

    package mutating func required<Form: FieldForm>(
        _ name: String, _ value: (Object) -> Form.Value, as form: Form, default missing: Form.Value?
    ) -> Form.Value {
        let isLeftOut = isRequest && missing != nil
        names.append(isLeftOut ? "\(name)?\((missing as? Int).map { "=\($0)" } ?? "")" : name)
        return value(object)
    }

    package mutating func optional<Form: FieldForm>(
        _ name: String, _ value: (Object) -> Form.Value?, as form: Form, without absence: FieldAbsence
    ) -> Form.Value? {
        switch absence {
        case .null: names.append(name)
        case .omitted: names.append("\(name)?")
        }
        return value(object)
    }

    package mutating func part<Part: FieldGroup>(_ value: (Object) -> Part) -> Part {
        let part = value(object)
        append(part)
        return part
    }

    package mutating func part<Part: FieldGroup>(_ value: (Object) -> Part?, shownBy name: String) -> Part? {
        let part = value(object)
        if let part { append(part) }
        return part
    }

    package func combined<Value>(
        _ value: (Object) -> Value, from read: @autoclosure () -> Value?, or rejection: @autoclosure () -> Rejection
    ) -> Value {
        value(object)
    }

    package func atMostOne(of names: String...) {}

    package func check(_ condition: @autoclosure () -> Bool, or rejection: @autoclosure () -> Rejection) {}

    private mutating func append(_ part: some FieldGroup) {
        guard let part = part as? any GatewayObject else { return }
        names += fields(of: part, isRequest: isRequest)
    }

    fileprivate static func list(_ object: Object, isRequest: Bool) -> [String] where Object: GatewayObject {
        var pass = FieldNames(object, isRequest: isRequest)
        _ = Object(fields: &pass)
        return pass.names
    }
}

/// The fields of an object that the gateway writes, or of a request.
package func fields<Object: GatewayObject>(of object: Object, isRequest: Bool = false) -> [String] {
    FieldNames<Object>.list(object, isRequest: isRequest)
}

extension Request {
    /// The fields of such a request, made of the least that it must have.
    package static var fields: [String] {
        get throws {
            let example = try JSONObject(parsing: Array(RequestField.payload(Self.self).utf8))
            return TestSupport.fields(of: try Self(members: example), isRequest: true)
        }
    }
}
