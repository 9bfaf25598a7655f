import ParleyProtocol
import ParleyRules
import ParleyStore

/// One page of `sync/get`, its conversations already JSON.
///
/// Missing records come first, those of the last active conversation before others. If all of them are in the page, it
/// also holds the state of the other conversations, as many as fit. Nothing is stored between pages: the caller's
/// cursors say what they have.
package enum SyncPage {
    /// - Throws: `bad_request` for a `cursor` that this caller was not given.
    package static func read(
        _ request: SyncRequest, for user: UserID, _ snapshot: Snapshot, seal: CursorSeal, now: Timestamp
    ) throws -> SyncReply {
        let list = PagedList(operation: SyncRequest.operation, caller: user, owner: user)
        let position: SyncPosition = try request.cursor.map { try seal.open($0, of: list) } ?? .beginning
        var unknown = Set(request.cursors.keys)
        var behind: [(SyncCandidate, SyncPlan)] = []
        var planned: [(position: SyncPosition, candidate: SyncCandidate, plan: SyncPlan)] = []
        for candidate in try snapshot.sync.candidates(of: user, now: now) {
            unknown.remove(candidate.id)
            let plan = SyncPlan(candidate.log, cursor: request.cursors[candidate.id])
            if plan.missing > 0 {
                behind.append((candidate, plan))
            } else {
                planned.append((SyncPosition(plan, of: candidate.id), candidate, plan))
            }
        }
        var gathering = SyncGathering(user: user, snapshot: snapshot, limit: request.limit)
        behind.sort { ($1.0.updatedAt, $0.0.id) < ($0.0.updatedAt, $1.0.id) }
        let isComplete = try behind.allSatisfy { try gathering.add($0, $1) }
        // If the records did not all fit, the cursor stays for the next request.
        var nextCursor = request.cursor
        if isComplete {
            let rest = planned.filter { position < $0.position }.sorted { $0.position < $1.position }
            let added = try rest.prefix { try gathering.add($0.candidate, $0.plan) }
            let last = added.last?.position ?? position
            nextCursor = added.count == rest.count ? nil : try seal.seal(last, of: list)
        }
        return SyncReply(
            .json(gathering.json), left: unknown.sorted(), isComplete: isComplete, nextCursor: nextCursor)
    }
}

extension SyncRequest: QueryHandler {
    func answer(in context: QueryContext) throws -> WrittenAnswer {
        try SyncPage.read(
            self, for: context.caller.user, context.snapshot, seal: context.reader.seal, now: context.now
        ).write
    }
}
