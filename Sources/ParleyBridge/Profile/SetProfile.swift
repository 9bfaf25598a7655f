import Foundation
import ParleyProtocol
import ParleyRules
import ParleyStore

extension Writer {
    /// `profile/set`
    func set(
        _ change: ProfileChange, _ route: ReplyRoute, _ transaction: WriteTransaction, _ effects: inout Effects
    ) throws {
        if case .set(let name) = change.timeZone, TimeZone(identifier: name) == nil {
            throw Rejection(.badRequest, "time_zone: no zone of the IANA database")
        }
        guard let current = try transaction.facts.profile(route.address.user) else { throw Rejection.userNotFound }
        let profile = change.applied(to: current)
        if profile != current { try transaction.update(profile) }
        if profile.messagePrivacy != current.messagePrivacy { try forgetContacts(of: profile.user, transaction.facts) }
        if profile.presence != current.presence {
            let presence = try transaction.facts.presence(of: profile.user) ?? .offline(lastSeen: nil)
            try effects.show(presence.shown(under: profile.presence), of: profile.user, transaction)
        }
        let counts = try transaction.facts.followCounts(of: profile.user, seenBy: profile.user)
        effects.outgoing.accept(route) { profile.write(to: &$0, counts, forOwner: true) }
    }
}

extension ProfileChange: CommandHandler {
    func carryOut(in context: CommandContext, _ effects: inout Effects) throws {
        try context.writer.set(self, context.route, context.transaction, &effects)
    }
}
