import ParleyProtocol

/// The items of a query, `name=value` between `&`, percent-decoded once. Unknown names are ignored, as unknown fields
/// of a request are.
struct APIQuery: Sendable {
    private let items: [(name: [UInt8], value: [UInt8])]

    /// Far more than any path has.
    private static let mostItems = 32

    init(_ query: [UInt8]) throws(Rejection) {
        var items: [(name: [UInt8], value: [UInt8])] = []
        for item in query.split(separator: UInt8(ascii: "&"), maxSplits: APIQuery.mostItems) {
            guard items.count < APIQuery.mostItems else {
                throw Rejection(.badRequest, "The query has too many items.")
            }
            let name = item.prefix { $0 != UInt8(ascii: "=") }
            guard let decodedName = PercentEncoding.decode(name),
                let value = PercentEncoding.decode(item[name.endIndex...].dropFirst())
            else { throw Rejection(.badRequest, "The query is not percent-encoded.") }
            guard !items.contains(where: { $0.name == decodedName }) else {
                throw Rejection(.badRequest, "The query has an item twice.")
            }
            items.append((decodedName, value))
        }
        self.items = items
    }

    private func value(_ name: String) -> [UInt8]? { items.first { $0.name.span.equals(name) }?.value }

    /// A whole number in decimal digits. The operation bounds it.
    func count(_ name: String) throws(Rejection) -> Int? {
        guard let value = value(name) else { return nil }
        // 18 digits fit an Int.
        guard (1...18).contains(value.count), value.allSatisfy(\.isASCIIDigit) else {
            throw .badRequest(name, "not a whole number")
        }
        return value.reduce(0) { $0 * 10 + Int($1 - UInt8(ascii: "0")) }
    }

    func bool(_ name: String) throws(Rejection) -> Bool? {
        guard let value = value(name) else { return nil }
        if value.span.equals("true") { return true }
        if value.span.equals("false") { return false }
        throw .badRequest(name, "not true or false")
    }

    func id<ID: UUIDIdentifier>(_ name: String, as _: ID.Type = ID.self) throws(Rejection) -> ID? {
        guard let value = value(name) else { return nil }
        guard let id = ID(parsing: value.span) else { throw .badRequest(name, "not a lower-case UUID") }
        return id
    }
}
