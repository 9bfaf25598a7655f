import ArgumentParser
import ParleyProtocol
import Platform

/// The one rule of what is printed where: people read sentences and tables on a terminal, programs JSON in a pipe, an
/// object a line, unless an option says otherwise.
struct OutputOptions: ParsableArguments {
    @Flag(name: .customLong("json"), help: "Print JSON, an object a line, on a terminal too.")
    var asksForJSON = false

    @Flag(name: .customLong("text"), help: "Print sentences and tables, where a program reads too.")
    var asksForText = false

    func validate() throws {
        if asksForJSON, asksForText { throw ValidationError("--json and --text are two forms; one can be printed") }
    }

    /// As they are written.
    var arguments: [String] { (asksForJSON ? ["--json"] : []) + (asksForText ? ["--text"] : []) }

    var isJSON: Bool { asksForJSON || !asksForText && isatty(STDOUT_FILENO) != 1 }

    /// For a command that prints for people alone.
    func refuseJSON(_ instead: String) throws {
        if asksForJSON { throw ValidationError("there is no --json here: \(instead)") }
    }
}

extension OutputOptions {
    /// Prints a result: a sentence for people, or a JSON object.
    func print(_ object: some GatewayObject, as sentence: @autoclosure () -> String) {
        print(json: object.json, as: [sentence()])
    }

    /// Prints a result: lines for people, or a JSON object.
    func print(json: @autoclosure () -> [UInt8], as lines: @autoclosure () -> [String]) {
        if isJSON { Terminal.printJSON(json()) } else { lines().forEach(Terminal.print) }
    }

    /// Prints a list: a table for people, or one JSON object a line.
    func print<Item: GatewayObject>(_ items: [Item], headings: [String], row: (Item) -> [String]) {
        if isJSON { return items.forEach { Terminal.printJSON($0.json) } }
        var table = Table(headings: headings)
        for item in items { table.add(row(item)) }
        table.print()
    }
}
