/// What is copied from one database to the other, in an order that references allow.
struct TransferPlan {
    let tables: [TransferTable]

    /// Tables of which each gateway has one row; its `id` is the gateway's.
    static let perGateway: Set<String> = ["clock", "instance", "publishing", "push_link"]

    /// Tables that a database on a server has for its cells, and for pushes, which have a file of their own elsewhere.
    /// What is in these others carry: see `PushTables`.
    static let onServerOnly: Set<String> = [
        "announcements", "audience_changes", "cell_leases", "cell_marks", "cells", "displayed", "holds", "jobs", "link",
        "push_leases", "schema_version", "sessions", "traces",
    ]

    /// Columns that mean something between cells only.
    private static let columnsOnServerOnly = ["conversations": ["audience_version"]]

    /// - Throws: `.schemasDiffer` unless every column of one has its place in the other.
    init(from source: [String: SchemaTable], to target: [String: SchemaTable]) throws(TransferError) {
        let names = TransferPlan.names(source)
        let others = TransferPlan.names(target)
        if let name = names.symmetricDifference(others).min() { throw .schemasDiffer(name) }
        var tables: [TransferTable] = []
        for name in try TransferPlan.order(names, source) {
            guard let one = source[name], let other = target[name] else { throw .schemasDiffer(name) }
            tables.append(try TransferTable(one, other, ignoring: TransferPlan.columnsOnServerOnly[name] ?? []))
        }
        self.tables = tables
    }

    private static func names(_ tables: [String: SchemaTable]) -> Set<String> {
        Set(tables.keys).subtracting(onServerOnly).subtracting([TransferProgress.table])
    }

    /// Each behind those that it refers to; else by name, so that every process finds the same order.
    private static func order(
        _ names: Set<String>, _ tables: [String: SchemaTable]
    ) throws(TransferError) -> [String] {
        var (rest, order) = (names.sorted(), [String]())
        while let first = rest.first {
            let free = rest.filter { name in
                (tables[name]?.references ?? []).subtracting([name]).isDisjoint(with: rest)
            }
            guard !free.isEmpty else { throw .schemasDiffer(first) }
            order += free
            rest.removeAll { free.contains($0) }
        }
        return order
    }
}

/// A table that is copied.
struct TransferTable {
    let name: String
    /// By name; the key's are among them.
    let columns: [String]
    /// By their places in `columns`, in the order of the key.
    let key: [Int]
    /// Those that hold a position in a stream, by their places.
    let positions: Set<Int>
    /// The column that the target gives out by a sequence.
    let generated: String?

    var isPerGateway: Bool { TransferPlan.perGateway.contains(name) }

    init(_ source: SchemaTable, _ target: SchemaTable, ignoring ignored: [String]) throws(TransferError) {
        name = source.name
        let there = Set(target.columns.map(\.name))
        let columns = source.columns.map(\.name).filter { !ignored.contains($0) }
        self.columns = columns
        if let column = columns.first(where: { !there.contains($0) }) { throw .schemasDiffer("\(name).\(column)") }
        if let column = target.columns.first(where: { $0.isRequired && !columns.contains($0.name) }) {
            throw .schemasDiffer("\(name).\(column.name)")
        }
        key = source.key.compactMap { columns.firstIndex(of: $0.name) }
        guard !key.isEmpty, key.count == source.key.count, source.key.map(\.name) == target.key.map(\.name) else {
            throw .schemasDiffer(name)
        }
        let isPublishing = name == "publishing"
        positions = Set(
            columns.indices.filter {
                columns[$0] == "position" || isPublishing && columns[$0] == "published_through"
            })
        generated = target.columns.first { $0.isGenerated }?.name
    }

    /// How the names stand in a statement: `user` is a word of SQL.
    var columnList: String { columns.map(TransferTable.quoted).joined(separator: ", ") }
    var keyList: String { key.map { TransferTable.quoted(columns[$0]) }.joined(separator: ", ") }
    /// As many parameters as the key has columns.
    var keyParameters: String { TransferTable.parameters(key.count) }

    static func parameters(_ count: Int) -> String { repeatElement("?", count: count).joined(separator: ", ") }

    static func quoted(_ name: String) -> String { "\"\(name)\"" }
}
