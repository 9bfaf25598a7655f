import ParleyProtocol
import ParleyRules
import ParleyStore

/// Answers queries on a snapshot beside the writer.
struct Reader: Sendable {
    let store: Store
    let pushes: PushStore
    let live: LiveSettings
    let seal: CursorSeal
    /// Shared with the writer.
    let limits: UserLimits
    let counters: Counters
    let people: ConnectedPeople
    /// The key by which browsers subscribe to Web Push, in base64url.
    let vapidKey: String?
    /// The stored position lags behind.
    let publishedThrough: PublishedPosition
    var identityProviders: [IdentityProvider] = []
    /// For `admin/status`.
    var operating: OperatingSource?

    var settings: Settings { live.current }

    func answer(_ incoming: IncomingQuery, at moment: Moment) -> Outgoing {
        counters.reads.add(1)
        var refusal: ErrorCode?
        defer {
            if let refusal { counters.recordRefusal(refusal) }
            incoming.metrics?.record(isRejected: refusal != nil, from: incoming.receivedAt, to: .now)
        }
        do throws(StoreError) {
            return try store.readAnywhere(counters.recordRead) { snapshot in
                var outgoing = Outgoing()
                do {
                    let role = try snapshot.devices.device(incoming.sender)?.role
                    try AuthorizeRule.check(incoming.askers, role: role)
                    let context = QueryContext(
                        reader: self, snapshot: snapshot, caller: incoming.sender, moment: moment)
                    outgoing.accept(incoming.route, try incoming.request.answer(in: context))
                } catch let rejection as Rejection {
                    counters.rejected.add(1)
                    refusal = rejection.code
                    outgoing.reject(incoming.route, rejection)
                }
                return outgoing
            }
        } catch {
            refusal = error.isPassing ? .unavailable : .internal
            var outgoing = Outgoing()
            outgoing.reject(incoming.route, error.isPassing ? .unavailable : .internalFault)
            return outgoing
        }
    }
}
