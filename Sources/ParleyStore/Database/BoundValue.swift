import ParleyProtocol

/// A value that is bound to a parameter of a statement.
package enum BoundValue: Hashable, Sendable {
    case integer(Int?)
    case text(String)
    case blob([UInt8]?)
    case optionalText(String?)

    static func bool(_ value: Bool) -> BoundValue { .integer(value ? 1 : 0) }
    static func time(_ value: Timestamp?) -> BoundValue { .integer(value.map { Int($0.milliseconds) }) }
    static func key(_ value: RowKey<some Any>) -> BoundValue { .integer(Int(value.value)) }
    static func id(_ value: some UUIDIdentifier) -> BoundValue { .blob(value.value.bytes) }
    static func day(_ value: CivilDay) -> BoundValue { .integer(value.daysSinceEpoch) }
    static func week(_ value: ISOWeek) -> BoundValue { .integer(value.column) }
}

/// The values of a statement's parameters, in order, as a list of what can be bound.
struct Arguments: ExpressibleByArrayLiteral, Sendable {
    let values: [BoundValue]

    init(_ values: [BoundValue]) { self.values = values }

    static func + (one: Arguments, other: Arguments) -> Arguments { Arguments(one.values + other.values) }

    init(arrayLiteral elements: (any Bindable)?...) { values = elements.map { $0?.boundValue ?? .integer(nil) } }
}

/// A type whose values are bound as they are.
protocol Bindable: Sendable {
    var boundValue: BoundValue { get }
}

extension Int: Bindable {
    var boundValue: BoundValue { .integer(self) }
}

extension Int64: Bindable {
    var boundValue: BoundValue { .integer(Int(self)) }
}

extension Bool: Bindable {
    var boundValue: BoundValue { .bool(self) }
}

extension String: Bindable {
    var boundValue: BoundValue { .text(self) }
}

extension [UInt8]: Bindable {
    var boundValue: BoundValue { .blob(self) }
}

extension Timestamp: Bindable {
    var boundValue: BoundValue { .time(self) }
}

extension CivilDay: Bindable {
    var boundValue: BoundValue { .day(self) }
}

extension ISOWeek: Bindable {
    var boundValue: BoundValue { .week(self) }
}

extension RowKey: Bindable {
    var boundValue: BoundValue { .key(self) }
}
