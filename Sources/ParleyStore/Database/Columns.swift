import Foundation
import GRDB
import ParleyProtocol

// How the protocol's values stand in columns: UUIDs as 16 bytes, times as milliseconds, ids as text, kinds as the small
// numbers below. A number once written is never given another meaning.

extension UUIDIdentifier {
    var blob: Data { Data(value.bytes) }
}

extension Row {
    func level<ID: LevelIdentifier>(_ index: Int) throws(StoreError) -> ID {
        guard let id = ID(self[index] as String) else {
            throw StoreError.failed(code: 0, message: "an id in column \(index)")
        }
        return id
    }

    func uuid<ID: UUIDIdentifier>(_ index: Int) throws(StoreError) -> ID {
        guard let id: ID = try optionalUUID(index) else {
            throw StoreError.failed(code: 0, message: "an id in column \(index)")
        }
        return id
    }

    func optionalUUID<ID: UUIDIdentifier>(_ index: Int) throws(StoreError) -> ID? {
        guard let data = self[index] as Data? else { return nil }
        let bytes = [UInt8](data)
        guard let id = ID(bytes: bytes.span) else {
            throw StoreError.failed(code: 0, message: "an id in column \(index)")
        }
        return id
    }

    func bytes(_ index: Int) -> [UInt8]? { (self[index] as Data?).map(Array.init) }

    func time(_ index: Int) -> Timestamp { Timestamp(milliseconds: self[index]) }

    func optionalTime(_ index: Int) -> Timestamp? { (self[index] as Int64?).map(Timestamp.init(milliseconds:)) }

    func choice<Choice: RawRepresentable<String>>(_ index: Int) throws(StoreError) -> Choice {
        guard let choice = Choice(rawValue: self[index]) else {
            throw StoreError.failed(code: 0, message: "an unknown word in column \(index)")
        }
        return choice
    }

    func optionalChoice<Choice: RawRepresentable<String>>(_ index: Int) throws(StoreError) -> Choice? {
        (self[index] as String?) == nil ? nil : try choice(index)
    }

    func coded<Choice: ColumnCoded>(_ index: Int) throws(StoreError) -> Choice {
        let code: Int = self[index]
        guard let choice = Choice.allCases.first(where: { $0.columnCode == code }) else {
            throw StoreError.failed(code: 0, message: "an unknown code in column \(index)")
        }
        return choice
    }
}

/// A closed set of values that stands in a column as a small number.
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

extension Suite: ColumnCoded {
    var columnCode: Int {
        switch self {
        case .x25519AESGCM: 0
        case .naclBox: 1
        case .groupBox: 2
        }
    }
}
