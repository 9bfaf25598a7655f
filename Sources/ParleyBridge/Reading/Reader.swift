import ParleyProtocol
import ParleyRules
import ParleyStore

/// Carries out what changes nothing, on a snapshot beside the writer.
struct Reader: Sendable {
    let store: Store
    let pushes: PushStore
    let settings: Settings
    let seal: CursorSeal
    /// Shared with the writer.
    let limits: UserLimits
    let counters: Counters
    /// Who has a device connected.
    let people: ConnectedPeople
    /// What browsers subscribe to Web Push with, in base64url.
    let vapidKey: String?
    /// As far as the broker has acknowledged; what is stored of it lags behind.
    let publishedThrough: PublishedPosition

    /// The reply to a request that is a read.
    func answer(_ incoming: IncomingQuery, now: Timestamp) -> Outgoing {
        counters.reads.add(1)
        do throws(StoreError) {
            return try store.read { snapshot in
                var outgoing = Outgoing()
                do {
                    try incoming.authorize(try snapshot.devices.device(incoming.sender))
                    let context = QueryContext(
                        reader: self, snapshot: snapshot, caller: incoming.sender, now: now)
                    outgoing.accept(incoming.route, try incoming.request.answer(in: context))
                } catch let rejection as Rejection {
                    counters.rejected.add(1)
                    outgoing.reject(incoming.route, rejection)
                }
                return outgoing
            }
        } catch {
            var outgoing = Outgoing()
            outgoing.reject(incoming.route, error.isPassing ? .unavailable : .internalFault)
            return outgoing
        }
    }
}
