import ArgumentParser

extension Parley {
    /// Checks the names of commands before the parser does, which takes what is no command for an argument and then
    /// complains about the options behind it.
    ///
    /// - Throws: `ValidationError` for a name that no command has.
    static func checkCommandNames(_ arguments: some Sequence<String>) throws {
        var command: any ParsableCommand.Type = Parley.self
        var path = ["parley"]
        var isValue = false
        for argument in arguments {
            if isValue {
                isValue = false
                continue
            }
            guard !argument.hasPrefix("-") else {
                // The options that stand before a command's name, and the parser's own one.
                isValue = ["--data", "--timeout", "--passphrase-file", "--generate-completion-script"]
                    .contains(argument)
                // What stands behind any other option may be its value.
                if !isValue, !["--json", "--text"].contains(argument), command.configuration.defaultSubcommand != nil {
                    return
                }
                continue
            }
            let subcommands = command.configuration.subcommands
            // No default subcommand has an argument that is no option.
            guard !subcommands.isEmpty, argument != "help" else { return }
            let names = subcommands.map { CommandNames.name(of: $0) }
            guard let index = names.firstIndex(of: argument) else {
                throw unknown(argument, among: names, path.joined(separator: " "))
            }
            path.append(argument)
            command = subcommands[index]
        }
    }

    private static func unknown(_ name: String, among names: [String], _ path: String) -> ValidationError {
        let near = names.map { ($0, CommandNames.distance($0, name)) }.filter { $0.1 <= 2 }.min { $0.1 < $1.1 }?.0
        let advice = near.map { "did you mean \(path) \($0)?" } ?? "these are: \(names.joined(separator: ", "))"
        return ValidationError("there is no command \(path) \(name.printable); \(advice)")
    }
}

enum CommandNames {
    static func name(of command: any ParsableCommand.Type) -> String { command.configuration.commandName ?? "" }

    /// How many letters must be put in, taken out, exchanged, or swapped with their neighbour (the distance of Damerau
    /// and Levenshtein, by optimal string alignment).
    static func distance(_ one: String, _ other: String) -> Int {
        let (one, other) = (Array(one.utf8.prefix(64)), Array(other.utf8.prefix(64)))
        var rows = [Array(0...other.count)]
        for (i, letter) in one.enumerated() {
            var row = [i + 1]
            for (j, against) in other.enumerated() {
                var least = min(rows[i][j + 1] + 1, row[j] + 1, rows[i][j] + (letter == against ? 0 : 1))
                if i > 0, j > 0, letter == other[j - 1], one[i - 1] == against {
                    least = min(least, rows[i - 1][j - 1] + 1)
                }
                row.append(least)
            }
            rows.append(row)
        }
        return rows[one.count][other.count]
    }
}
