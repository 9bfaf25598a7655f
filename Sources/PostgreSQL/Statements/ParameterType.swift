/// The types of parameters that have values here. The server infers which one it is.
package enum ParameterType: UInt32, Hashable, Sendable, CaseIterable {
    // By their numbers in `pg_type.dat`, which never change.
    case boolean = 16
    case bytes = 17
    case name = 19
    case int8 = 20
    case int2 = 21
    case int4 = 23
    case text = 25
    case oid = 26
    case varchar = 1043
    case uuid = 2950

    /// PostgreSQL's name.
    package var name: String {
        switch self {
        case .boolean: "boolean"
        case .bytes: "bytea"
        case .name: "name"
        case .int8: "bigint"
        case .int2: "smallint"
        case .int4: "integer"
        case .text: "text"
        case .oid: "oid"
        case .varchar: "varchar"
        case .uuid: "uuid"
        }
    }
}
