import ParleyProtocol
import ParleyStore

/// A command as the gateway carries it out. The conformance of each is in the folder of its capability.
protocol CommandHandler: Command {
    /// What is to be done, with all that is needed to do it.
    associatedtype Decision

    /// Whether it asks for nothing but what it declares, so that the facts of many are gathered at once.
    var isGathered: Bool { get }

    /// Declares what `decide` will ask for.
    func declareFacts(for sender: DeviceAddress, in facts: inout DeclaredFacts)

    /// Decides what is to be done.
    ///
    /// - Throws: the `Rejection` that the device is answered with, or what went wrong with the store.
    func decide(in context: DecisionContext) throws -> Decision

    /// Does what was decided, and accepts the request.
    func apply(_ decision: Decision, in context: ApplyContext) throws(StoreError)
}

extension CommandHandler {
    var isGathered: Bool { false }

    func declareFacts(for sender: DeviceAddress, in facts: inout DeclaredFacts) {}

    /// Decides it and does it.
    ///
    /// - Throws: a `Rejection`, and then nothing is written; or what went wrong with the store.
    func carryOut(_ route: ReplyRoute, in batch: Batch) throws {
        try apply(try decide(in: DecisionContext(route, batch)), in: ApplyContext(route, batch))
    }
}

/// A frequent command.
protocol GatheredCommandHandler: CommandHandler {}

extension GatheredCommandHandler {
    var isGathered: Bool { true }
}
