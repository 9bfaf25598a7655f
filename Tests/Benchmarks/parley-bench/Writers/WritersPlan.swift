import ArgumentParser

/// The options of a measurement of cells that write into the same conversations.
struct WritersPlan: ParsableArguments {
    @Option(help: "Messages, of all together.") var messages = 1_000_000
    @Option(help: "Conversations of two, into each of which every cell writes.") var conversations = 8
    @Option(help: "Messages in a transaction; of gateways, that are under way at a cell.") var batch = 64

    @Flag(help: "Send by devices to gateways, each with a broker of its own, rather than write by the store alone.")
    var gateways = false

    static let cells = 2

    func validate() throws {
        guard messages > 0, (1...1000).contains(conversations), (1...900).contains(batch) else {
            throw ValidationError("a number is out of range")
        }
    }
}
