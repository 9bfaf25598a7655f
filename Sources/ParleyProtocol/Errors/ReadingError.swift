/// Why something that the gateway sent could not be read as what it should be. It holds none of the content.
public enum ReadingError: Error, Hashable, Sendable {
    case json(JSONError)
    /// A field is missing, or does not hold what it should: its name, and what is wrong with it.
    case field(String)
    /// An event on a topic that it does not belong on.
    case misplaced(type: String)
}

extension ReadingError: CustomStringConvertible {
    public var description: String {
        switch self {
        case .json(let fault): "it \(fault.rawValue)"
        case .field(let problem): problem
        case .misplaced(let type): "\(type) on a topic of something else"
        }
    }
}
