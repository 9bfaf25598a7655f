/// A value, or its JSON.
///
/// The gateway stores and repeats some values as JSON without looking into them. A device that reads an object always
/// has the value.
public enum ReadyMade<Value: Hashable & Sendable>: Hashable, Sendable {
    case value(Value)
    case json([UInt8])

    /// `nil` for JSON.
    public var value: Value? {
        switch self {
        case .value(let value): value
        case .json: nil
        }
    }
}

/// A form for a value or its JSON.
package struct ReadyMadeForm<Form: FieldForm>: FieldForm where Form.Value: Hashable & Sendable {
    let form: Form

    package func read(_ name: String, of object: JSONObject) throws(Rejection) -> ReadyMade<Form.Value>? {
        guard let value = try form.read(name, of: object) else { return nil }
        return .value(value)
    }

    package func write(_ value: ReadyMade<Form.Value>, to writer: inout JSONWriter) {
        switch value {
        case .value(let value): form.write(value, to: &writer)
        case .json(let json): writer.raw(json)
        }
    }

    package var schema: FieldSchema { form.schema }
}

/// The elements of an array, or their JSON with commas between them: the gateway fills a page with elements that are
/// JSON already.
public enum ReadyMadeList<Element: Hashable & Sendable>: Hashable, Sendable {
    case values([Element])
    case json([UInt8])

    /// Empty for JSON.
    public var values: [Element] {
        switch self {
        case .values(let values): values
        case .json: []
        }
    }
}

/// A form for a list or its JSON.
package struct ReadyMadeListForm<Element: GatewayObject>: FieldForm {
    package func read(_ name: String, of object: JSONObject) throws(Rejection) -> ReadyMadeList<Element>? {
        guard let values = try ObjectsForm<Element>().read(name, of: object) else { return nil }
        return .values(values)
    }

    package func write(_ value: ReadyMadeList<Element>, to writer: inout JSONWriter) {
        switch value {
        case .values(let values): ObjectsForm<Element>().write(values, to: &writer)
        case .json(let json): writer.elements(json)
        }
    }

    package var schema: FieldSchema { ObjectsForm<Element>().schema }
}

extension FieldForm {
    static func readyMade<Form>(_ form: Form) -> Self where Self == ReadyMadeForm<Form> { ReadyMadeForm(form: form) }
    static func readyMadeList<Element>() -> Self where Self == ReadyMadeListForm<Element> { ReadyMadeListForm() }
}
