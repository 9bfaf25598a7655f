import NIOConcurrencyHelpers
import ParleyProtocol

/// The transfers of one kind that are under way.
final class TransferSlots: Sendable {
    private struct State {
        var all = 0
        var byUser: [UserID: Int] = [:]
    }

    private let limit: TransferLimit
    private let state = NIOLockedValueBox(State())

    init(_ limit: TransferLimit) { self.limit = limit }

    /// - Throws: `rate_limited` if the user has too many, `unavailable` if the door has.
    func take(_ user: UserID) throws(BlobRefusal) {
        let refusal = state.withLockedValue { state -> Rejection? in
            let own = state.byUser[user, default: 0]
            guard own < limit.perUser else { return TransferSlots.tooMany }
            guard state.all < limit.inAll else { return .unavailable }
            state.all += 1
            state.byUser[user] = own + 1
            return nil
        }
        if let refusal { throw BlobRefusal(refusal) }
    }

    func release(_ user: UserID) {
        state.withLockedValue { state in
            state.all -= 1
            let own = state.byUser[user, default: 1] - 1
            state.byUser[user] = own == 0 ? nil : own
        }
    }

    private static let tooMany = Rejection(
        .rateLimited, "Too many transfers at once.", retryAfterMilliseconds: 1000)
}
