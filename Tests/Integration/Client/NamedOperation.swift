import ParleyProtocol
import Testing

/// The operation `area/verb`.
func operation(_ area: String, _ verb: String) throws -> ParleyProtocol.Operation {
    let operation = ParleyProtocol.Operation(area: area, verb: verb)
    return try #require(operation)
}
