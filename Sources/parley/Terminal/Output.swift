import ParleyProtocol
import Platform

/// The one rule of what is printed where: people read sentences and tables on a terminal, programs JSON in a pipe.
enum Output {
    /// - Parameter isAsked: whether `--json` asks for JSON on a terminal, too.
    static func isJSON(_ isAsked: Bool = false) -> Bool { isAsked || isatty(STDOUT_FILENO) != 1 }
}

extension Terminal {
    /// Prints a result: a sentence for people, or a JSON object.
    static func printResult(
        _ sentence: String, _ object: some GatewayObject, asJSON isJSON: Bool = false
    ) {
        if Output.isJSON(isJSON) { printJSON(object.json) } else { print(sentence) }
    }
}
