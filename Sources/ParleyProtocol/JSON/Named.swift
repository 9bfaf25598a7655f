/// A name of this version, or of a later one: a device keeps it as read, and refuses no name for being new (protocol
/// §1, unknown event keys and their values).
public enum Named<Value: RawRepresentable<String> & CaseIterable & Hashable & Sendable>: Hashable, Sendable {
    case known(Value)
    case unknown(String)

    public init(_ name: String) {
        self = Value(rawValue: name).map(Named.known) ?? .unknown(name)
    }

    public var name: String {
        switch self {
        case .known(let value): value.rawValue
        case .unknown(let name): name
        }
    }

    /// `nil` for a name of a later version.
    public var value: Value? {
        switch self {
        case .known(let value): value
        case .unknown: nil
        }
    }

    // Where it is not inlined, a comparison looks up types at each call: for the records of a page that was a thirtieth
    // of the work.
    @inlinable
    public static func == (left: Named, right: Named) -> Bool {
        switch (left, right) {
        case (.known(let left), .known(let right)): left == right
        case (.unknown(let left), .unknown(let right)): left == right
        case (.known, .unknown), (.unknown, .known): false
        }
    }
}

extension JSONObject {
    /// In characters.
    private static let longestName = 64

    package func named<Value>(_ name: String, as _: Value.Type = Value.self) throws(Rejection) -> Named<Value>? {
        try text(name, maximum: JSONObject.longestName).map(Named.init)
    }
}
