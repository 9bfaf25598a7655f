import ArgumentParser
import ParleyProtocol

/// A topic filter (MQTT 5 §4.7.1); `parley/v1/` is put before one that lacks it.
struct TailFilter: Hashable, ExpressibleByArgument {
    /// The filter as the broker takes it.
    let text: String

    static let everything = TailFilter(validated: Topic.prefix + "#")

    var defaultValueDescription: String { text }

    private init(validated text: String) {
        self.text = text
    }

    /// - Returns: `nil` for a malformed filter: a wildcard that is not a whole level, or a `#` that is not the last.
    init?(argument: String) {
        guard !argument.isEmpty, !argument.utf8.contains(0) else { return nil }
        let levels = argument.split(separator: "/", omittingEmptySubsequences: false)
        for (index, level) in levels.enumerated() where level.contains(where: { $0 == "#" || $0 == "+" }) {
            guard level.utf8.count == 1, level == "+" || index == levels.count - 1 else { return nil }
        }
        self.init(validated: argument.hasPrefix(Topic.prefix) ? argument : Topic.prefix + argument)
    }
}
