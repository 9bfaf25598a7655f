import ParleyProtocol

/// A row of a query's result, by the number of its columns from 0. Where NULL is not asked for, it reads as 0 or as
/// nothing.
///
/// The rows of every engine are one, so that what a table holds is read in one place.
package protocol ColumnReader {
    func isNull(_ column: Int) -> Bool
    func integer(_ column: Int) -> Int
    func text(_ column: Int) -> String
    /// `nil` for NULL.
    func bytes(_ column: Int) -> [UInt8]?
    /// The bytes of a blob, or of a text as they are, which are gone when `body` returns.
    func withBytes<Result>(_ column: Int, _ body: (Span<UInt8>) -> Result?) -> Result?
}

// How the protocol's values are stored in columns: UUIDs as 16 bytes, times as milliseconds, ids as text, kinds as the
// small numbers below. A number once written is never given another meaning.

extension ColumnReader {
    func isTrue(_ column: Int) -> Bool { integer(column) != 0 }

    func optionalText(_ column: Int) -> String? { isNull(column) ? nil : text(column) }

    func time(_ column: Int) -> Timestamp { Timestamp(milliseconds: Int64(integer(column))) }

    func optionalTime(_ column: Int) -> Timestamp? { isNull(column) ? nil : time(column) }

    func key<Item>(_ column: Int) -> RowKey<Item> { RowKey(value: Int64(integer(column))) }

    func day(_ column: Int) -> CivilDay { CivilDay(daysSinceEpoch: integer(column)) }

    func week(_ column: Int) -> ISOWeek { ISOWeek(of: day(column)) }

    func optionalInteger(_ column: Int) -> Int? { isNull(column) ? nil : integer(column) }

    func level<ID: LevelIdentifier>(_ column: Int) throws(StoreError) -> ID {
        guard let id = withBytes(column, ID.init(parsing:)) else { throw .inconsistent(.column(column)) }
        return id
    }

    func uuid<ID: UUIDIdentifier>(_ column: Int) throws(StoreError) -> ID {
        guard let id = withBytes(column, ID.init(bytes:)) else { throw .inconsistent(.column(column)) }
        return id
    }

    /// A UUID that has no type of its own.
    func uuidValue(_ column: Int) throws(StoreError) -> UUIDValue {
        guard let value = withBytes(column, UUIDValue.init(bytes:)) else { throw .inconsistent(.column(column)) }
        return value
    }

    func optionalUUID<ID: UUIDIdentifier>(_ column: Int) throws(StoreError) -> ID? {
        isNull(column) ? nil : try uuid(column)
    }

    /// One of a closed set of words.
    func choice<Choice: RawRepresentable<String>>(_ column: Int) throws(StoreError) -> Choice {
        guard let choice = Choice(rawValue: text(column)) else { throw .inconsistent(.column(column)) }
        return choice
    }

    func optionalChoice<Choice: RawRepresentable<String>>(_ column: Int) throws(StoreError) -> Choice? {
        isNull(column) ? nil : try choice(column)
    }

    /// One of a closed set of small numbers.
    func coded<Choice: ColumnCoded>(_ column: Int) throws(StoreError) -> Choice {
        let code = integer(column)
        guard let choice = Choice.allCases.first(where: { $0.columnCode == code }) else {
            throw .inconsistent(.column(column))
        }
        return choice
    }

    func optionalCoded<Choice: ColumnCoded>(_ column: Int) throws(StoreError) -> Choice? {
        isNull(column) ? nil : try coded(column)
    }
}

extension UUIDIdentifier {
    var blob: [UInt8] { value.bytes }
}

extension ISOWeek {
    var column: Int { monday.daysSinceEpoch }
}

/// A closed set of values that a column holds as small numbers.
protocol ColumnCoded: CaseIterable {
    var columnCode: Int { get }
}

extension RecordKind: ColumnCoded {
    var columnCode: Int {
        switch self {
        case .message: 0
        case .edit: 1
        case .delete: 2
        case .reaction: 3
        }
    }
}

extension MessageType: ColumnCoded {
    var columnCode: Int {
        switch self {
        case .text: 0
        case .image: 1
        case .file: 2
        case .voice: 3
        case .dietPlan: 4
        case .workoutPlan: 5
        case .challenge: 6
        case .system: 7
        }
    }
}

extension Suite.Bound: ColumnCoded {
    var columnCode: Int {
        switch self {
        case .x25519AESGCM: 0
        case .naclBox: 1
        case .groupBox: 2
        }
    }
}

/// A suite as it is stored: the form of old apps is a `nacl-box` that is marked.
struct SuiteColumns {
    let bound: Suite.Bound
    let isLegacy: Bool

    init(_ suite: Suite) { (bound, isLegacy) = (suite.bound ?? .naclBox, suite.bound == nil) }

    init(bound: Suite.Bound, isLegacy: Bool) { (self.bound, self.isLegacy) = (bound, isLegacy) }

    var suite: Suite { isLegacy ? .legacyNaClBox : bound.suite }
}
