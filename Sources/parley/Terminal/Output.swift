import ArgumentParser
import ParleyProtocol
import Platform

/// The one rule of what is printed where: people read sentences and tables on a terminal, programs JSON in a pipe, an
/// object a line, unless an option says otherwise.
struct OutputOptions: ParsableArguments {
    @Flag(help: "Print JSON, an object a line, on a terminal too.") var json = false
    @Flag(help: "Print sentences and tables, in a pipe too.") var text = false

    func validate() throws {
        if json, text { throw ValidationError("--json and --text are two forms; one can be printed") }
    }

    /// The options as command-line arguments.
    var arguments: [String] { (json ? ["--json"] : []) + (text ? ["--text"] : []) }

    var isJSON: Bool { json || !text && isatty(STDOUT_FILENO) != 1 }

    /// For a command that has one form only.
    ///
    /// - Parameter reason: what it prints, or what prints the other form.
    func refuse(_ form: KeyPath<OutputOptions, Bool>, because reason: String) throws {
        guard self[keyPath: form] else { return }
        throw ValidationError("there is no \(form == \.json ? "--json" : "--text") here: \(reason)")
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
        print(items, json: \.json, headings: headings, row: row)
    }

    /// Prints a list: a table for people, or one JSON object a line.
    func print<Item>(_ items: [Item], json: (Item) -> [UInt8], headings: [String], row: (Item) -> [String]) {
        guard !isJSON else { return items.forEach { Terminal.printJSON(json($0)) } }
        var table = Table(headings: headings)
        for item in items { table.add(row(item)) }
        table.print()
    }

    /// Prints a value by itself, such as a link or a file's path, in a pipe too. With `--json` it is a member of an
    /// object.
    func print(value: String, named name: String) {
        print(value: value, json: JSONWriter.object { $0.member(name, value) })
    }

    /// Prints a value by itself, in a pipe too.
    ///
    /// - Parameter object: what is printed with `--json`.
    func print(value: String, json object: @autoclosure () -> [UInt8]) {
        if json { Terminal.printJSON(object()) } else { Terminal.print(value) }
    }

    /// Prints that something is done, in a pipe too. With `--json` it is the member `done` of an object.
    func print(done sentence: String) { print(value: sentence, named: "done") }
}
