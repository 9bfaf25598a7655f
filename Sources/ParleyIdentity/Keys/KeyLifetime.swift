import HTTPClient
import ParleyProtocol

/// The time for which a response may be cached (RFC 9111 §4.2.1, §5.2.2): `max-age` less `Age`.
enum KeyLifetime {
    static func read(_ reply: HTTPReply) -> Duration {
        read(cacheControl: reply["cache-control"], age: reply["age"])
    }

    /// - Returns: zero without `max-age`, and for a response that may not be cached.
    static func read(cacheControl: String?, age: String?) -> Duration {
        let directives = (cacheControl ?? "").lowercased().split(separator: ",").map { directive in
            directive.filter { $0 != " " && $0 != "\t" }
        }
        guard !directives.contains("no-store"), !directives.contains("no-cache"),
            let maximum = directives.first(where: { $0.hasPrefix("max-age=") }).flatMap({ seconds($0.dropFirst(8)) })
        else { return .zero }
        let age = age.flatMap { seconds($0[...]) } ?? 0
        return .seconds(max(0, maximum - age))
    }

    private static func seconds(_ text: Substring) -> Int? {
        guard (1...10).contains(text.utf8.count), text.utf8.allSatisfy(\.isASCIIDigit) else { return nil }
        return Int(text)
    }
}
