/// What the user is in a conversation, as the gateway says, and whether this device hears it.
///
/// Subscribed to, and fetched, is what ``isFollowed``. The gateway's word that the user is in it (``join(following:)``) leads
/// from each case to ``followed``, or to ``unheard`` where the client is not to follow it; its word that they are not
/// (``leave()``) leads to ``former(wasOpen:)``.
enum Membership: Hashable, Sendable {
    /// A member as far as is known, and not subscribed. ``follow()`` leads to ``followed``.
    case unheard
    /// A member and subscribed.
    case followed
    /// Not open: the other one asks to write, and the user has not answered. They may write there, and hear nothing of it.
    /// ``follow()`` leads to ``asked(before:)``.
    case unanswered
    /// No member any more. What is kept stays readable, and hidden if it was not open then. ``follow()`` leads to
    /// ``asked(before:)``.
    case former(wasOpen: Bool)
    /// Subscribed to before the gateway has said whether the user may hear it: it says so at once, one way or the other.
    case asked(before: Before)

    /// What it was when it was asked for.
    enum Before: Hashable, Sendable {
        case unanswered
        case former(wasOpen: Bool)
    }

    var isMember: Bool {
        switch self {
        case .unheard, .followed, .unanswered, .asked(before: .unanswered): true
        case .former, .asked(before: .former): false
        }
    }

    /// Whether the user sees it in lists.
    var isOpen: Bool {
        switch self {
        case .unheard, .followed: true
        case .unanswered, .asked(before: .unanswered): false
        case .former(let wasOpen), .asked(before: .former(let wasOpen)): wasOpen
        }
    }

    var isFollowed: Bool {
        switch self {
        case .followed, .asked: true
        case .unheard, .unanswered, .former: false
        }
    }

    /// It is subscribed to.
    mutating func follow() {
        switch self {
        case .unheard: self = .followed
        case .unanswered: self = .asked(before: .unanswered)
        case .former(let wasOpen): self = .asked(before: .former(wasOpen: wasOpen))
        case .followed, .asked: break
        }
    }

    /// The gateway says that the user is in it.
    ///
    /// - Parameter follows: whether the client follows every conversation; one that is subscribed to it follows in any case.
    mutating func join(following follows: Bool) { self = follows || isFollowed ? .followed : .unheard }

    /// The gateway says that the user is not in it.
    mutating func leave() { self = .former(wasOpen: isOpen) }
}

extension Membership {
    /// As it was kept: nothing is subscribed to then.
    init(isMember: Bool, isOpen: Bool) {
        self =
            switch (isMember, isOpen) {
            case (true, true): .unheard
            case (true, false): .unanswered
            case (false, let isOpen): .former(wasOpen: isOpen)
            }
    }
}
