/// The reason why something from the gateway could not be read. It holds no content.
public enum ReadingError: Error, Hashable, Sendable {
    case json(JSONError)
    /// A field is missing or has a wrong value: its name, and what is wrong.
    case field(String)
    /// The event does not belong on its topic.
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
