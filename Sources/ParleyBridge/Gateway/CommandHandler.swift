import ParleyProtocol
import ParleyStore

/// A command as the gateway carries it out. The conformance of each stands in the folder of its capability.
protocol CommandHandler: Command {
    /// Does what it asks, and accepts it in `effects`.
    ///
    /// - Throws: the `Rejection` that the device is told, or what went wrong with the store.
    func carryOut(in context: CommandContext, _ effects: inout Effects) throws
}

/// What a command is carried out with.
struct CommandContext {
    let writer: Writer
    let transaction: WriteTransaction
    let route: ReplyRoute
    let now: Timestamp

    var sender: DeviceAddress { route.address }
}
