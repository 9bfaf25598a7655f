/// What one may want to do toward somebody, beside writing.
package enum Action: Hashable, Sendable, CaseIterable {
    case message, reaction, edit, typing, receipt, invitation, challenge
}

extension Verdict {
    /// A request is one message and nothing beside it.
    package func permits(_ action: Action) -> Bool {
        switch action {
        case .message: lets
        case .reaction, .edit, .typing, .receipt, .invitation, .challenge: isAllowed
        }
    }

    /// `social/can-message`: a message goes through.
    package var canMessage: Bool { lets }

    /// `social/can-message`: there is one message, or it is spent. Who was blocked is told the same.
    package var isLimited: Bool { self == .request || self == .refused(.requestLimit) }
}
