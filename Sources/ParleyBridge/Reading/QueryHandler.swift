import ParleyProtocol
import ParleyRules
import ParleyStore

/// A query as the gateway answers it. The conformance of each is in the folder of its capability.
protocol QueryHandler: Query {
    /// Reads what it asks for.
    ///
    /// - Throws: the `Rejection` that the device is answered with, or what went wrong with the store.
    func answer(in context: QueryContext) throws -> WrittenAnswer
}

/// Writes `data` of a reply.
typealias WrittenAnswer = (inout JSONWriter) -> Void

/// What a query is answered with.
struct QueryContext {
    let reader: Reader
    let snapshot: Snapshot
    let caller: DeviceAddress
    let moment: Moment

    var now: Timestamp { moment.now }
    /// The time by which limits are counted.
    var sharedTime: Timestamp { reader.store.cells?.time ?? moment.steady }
}
