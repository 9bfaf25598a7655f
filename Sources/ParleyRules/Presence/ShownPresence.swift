import ParleyProtocol

extension Presence {
    /// What friends are shown of it. Whoever keeps it to themselves looks like somebody of whom nothing is known.
    package func shown(under privacy: PresencePrivacy) -> Presence {
        switch privacy {
        case .friends: self
        case .nobody: .offline(lastSeen: nil)
        }
    }
}
