/// Why a trial could not be carried through.
enum TrialError: Error, CustomStringConvertible {
    case refused(String, String)
    /// The cut was refused for the moment, or a connection was ended: a device would repeat it.
    case unavailable(String)
    case missing(String, Cut)
    case noSession

    var description: String {
        switch self {
        case .refused(let what, let why): "\(what) was refused: \(why)"
        case .unavailable(let what): "\(what) was refused for the moment"
        case .missing(let what, let cut): "\(cut.label): \(what) never came"
        case .noSession: "the broker has not kept a session"
        }
    }
}
