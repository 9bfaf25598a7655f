/// The values that a field may have in JSON, for documents that describe them, such as OpenAPI.
///
/// It says no more than the field's form accepts, and as much of its bounds as a document can say.
public struct FieldSchema: Sendable {
    package indirect enum Form: Sendable {
        case boolean
        case integer(ClosedRange<Int>)
        /// Of so many Unicode scalars.
        case text(ClosedRange<Int>, pattern: Pattern)
        /// Standard base64 with padding, of so many bytes.
        case base64(ClosedRange<Int>)
        /// One of these names.
        case choice([String])
        /// A name, of which these are known.
        case name([String])
        case object(any GatewayObject.Type)
        /// An object without a type of its own.
        case members([Member])
        case array(FieldSchema, counts: ClosedRange<Int>)
        /// An object whose keys are ids.
        case table(key: FieldSchema, value: FieldSchema)
        /// An object of texts, numbers, truth values and nulls.
        case flatObject
        case anything
        case either(FieldSchema, FieldSchema)
        /// A value or `null`, which means something of its own.
        case nullable(FieldSchema)
    }

    package let form: Form

    package init(_ form: Form) { self.form = form }

    /// The form of a text, as a regular expression of ECMA-262.
    package struct Pattern: Sendable {
        package let expression: String
        /// A name of JSON Schema's for it.
        package let format: String?
        /// A text of this form.
        package let example: String

        package init(_ expression: String, format: String? = nil, example: String) {
            (self.expression, self.format, self.example) = (expression, format, example)
        }

        /// Any characters but U+0000.
        package static let any = Pattern(#"^[^\u0000]*$"#, example: "x")
    }

    /// A member of an object.
    package struct Member: Sendable {
        package let name: String
        package let schema: FieldSchema
        package let isRequired: Bool

        package init(_ name: String, _ schema: FieldSchema, isRequired: Bool = true) {
            (self.name, self.schema, self.isRequired) = (name, schema, isRequired)
        }
    }
}

extension FieldSchema {
    package static let boolean = FieldSchema(.boolean)
    package static let anything = FieldSchema(.anything)

    package static func integer(_ range: ClosedRange<Int>) -> FieldSchema { FieldSchema(.integer(range)) }

    package static func text(_ lengths: ClosedRange<Int>, _ pattern: Pattern = .any) -> FieldSchema {
        FieldSchema(.text(lengths, pattern: pattern))
    }

    package static func base64(_ lengths: ClosedRange<Int>) -> FieldSchema { FieldSchema(.base64(lengths)) }

    package static func array(_ element: FieldSchema, _ counts: ClosedRange<Int>) -> FieldSchema {
        FieldSchema(.array(element, counts: counts))
    }

    package static func members(_ members: Member...) -> FieldSchema { FieldSchema(.members(members)) }

    package static func choice<Value: RawRepresentable<String> & CaseIterable>(_: Value.Type) -> FieldSchema {
        FieldSchema(.choice(Value.allCases.map(\.rawValue)))
    }

    /// Base64url without padding, of exactly so many bytes, a multiple of three and one or two more.
    package static func base64URL(_ count: Int) -> FieldSchema {
        let characters = (count * 8 + 5) / 6
        let last = count % 3 == 1 ? "[AQgw]" : count % 3 == 2 ? "[AEIMQUYcgkosw048]" : "[A-Za-z0-9_-]"
        return .text(
            characters...characters,
            Pattern(
                "^[A-Za-z0-9_-]{\(characters - 1)}\(last)$", example: String(repeating: "A", count: characters)))
    }

    package static let user = UserID.schema
    package static let device = DeviceID.schema
}

/// Fields that have no list: their schema is written beside their reading.
package protocol DescribedFields: GatewayValue {
    /// The members, in each of the forms that an object of them may have. The first has an example.
    static var variants: [[FieldSchema.Member]] { get }
}
