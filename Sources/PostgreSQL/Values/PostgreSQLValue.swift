/// A value of a statement's parameter.
package enum PostgreSQLValue: Hashable, Sendable {
    case null
    case integer(Int)
    case text(String)
    case bytes([UInt8])
}
