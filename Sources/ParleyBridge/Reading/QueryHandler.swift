import ParleyProtocol
import ParleyStore

/// A query as the gateway answers it. The conformance of each is in the folder of its capability.
protocol QueryHandler: Query {
    /// Accepts it in `outgoing`, with what it asks for.
    ///
    /// - Throws: the `Rejection` that the device is answered with, or what went wrong with the store.
    func answer(in context: QueryContext, _ outgoing: inout Outgoing) throws
}

/// What a query is answered with.
struct QueryContext {
    let reader: Reader
    let snapshot: Snapshot
    let route: ReplyRoute
    let now: Timestamp

    var caller: DeviceAddress { route.address }
}
