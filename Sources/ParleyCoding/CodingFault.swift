import ParleyProtocol

/// Why the general coder gave up. Of what was coded it holds the names of fields and nothing else: Foundation's own
/// descriptions would repeat values.
package enum CodingFault: Error, Hashable, Sendable, CustomStringConvertible {
    /// The bytes are no JSON object as the protocol takes it.
    case notJSON(JSONFault)
    /// The object is not of the type that was asked for; `path` leads to the field, dots between its levels.
    case mismatch(path: String, problem: String)
    /// The value at `path` cannot be said in JSON, an infinite number for example.
    case unencodable(path: String)

    package var description: String {
        switch self {
        case .notJSON(let fault): "it \(fault.rawValue)"
        case .mismatch(let path, let problem): path.isEmpty ? problem : "\(path): \(problem)"
        case .unencodable(let path): path.isEmpty ? "not to be said in JSON" : "\(path): not to be said in JSON"
        }
    }
}

extension CodingFault {
    init(_ error: DecodingError) {
        switch error {
        case .typeMismatch(_, let context): self = .mismatch(path: context.codingPath.path, problem: "of another type")
        case .valueNotFound(_, let context): self = .mismatch(path: context.codingPath.path, problem: "null")
        case .keyNotFound(let key, let context):
            self = .mismatch(path: (context.codingPath + [key]).path, problem: "missing")
        case .dataCorrupted(let context): self = .mismatch(path: context.codingPath.path, problem: "not valid")
        @unknown default: self = .mismatch(path: "", problem: "unreadable")
        }
    }
}

extension [any CodingKey] {
    var path: String { map { $0.intValue.map(String.init) ?? $0.stringValue }.joined(separator: ".") }
}
