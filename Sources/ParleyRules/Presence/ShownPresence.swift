import ParleyProtocol

extension Presence {
    /// What friends see. A hidden presence looks like an unknown one.
    package func shown(under privacy: PresencePrivacy) -> Presence {
        switch privacy {
        case .friends: self
        case .nobody: .offline(lastSeen: nil)
        }
    }
}
