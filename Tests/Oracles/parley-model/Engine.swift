import ParleyProtocol
import ParleyRules

/// The rules under test, each replaceable: a check that has never found a fault may be one that cannot.
package struct Engine: Sendable {
    package static let renewal = Duration.days(30)

    /// What somebody does to another, messages left out.
    package var perform: @Sendable (inout Relationship, Relationship.Act, UserID, Timestamp) throws(Rejection) -> Void =
        {
            relationship, act, user, now throws(Rejection) in
            try relationship.perform(act, by: user, now: now, renewal: Self.renewal)
        }
    /// What follows from a message that was allowed.
    package var wrote: @Sendable (inout Relationship, UserID, MessagingPermission) -> Void = {
        relationship, user, permission in relationship.recordMessage(of: user, under: permission)
    }
    package var decide:
        @Sendable (_ from: UserID, _ to: UserID, Contact?, _ now: Timestamp, _ renewal: Duration) -> MessagingPermission =
            {
                MessagingPermission.decide(from: $0, to: $1, $2, now: $3, renewal: $4)
            }
    package var permits: @Sendable (MessagingPermission, MessagingPermission.Action) -> Bool = { $0.permits($1) }

    package init() {}
}
