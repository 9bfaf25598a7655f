import ParleyProtocol
import ParleyRules
import ParleyStore

extension ProfileChange: CommandHandler {
    struct Decision {
        let current: Profile
        let changed: Profile
    }

    func decide(in context: DecisionContext) throws -> Decision {
        if case .set(let name) = timeZone { try CivilZones.require(name) }
        guard let current = try context.facts.users.profile(context.sender.user) else { throw Rejection.userNotFound }
        return Decision(current: current, changed: applied(to: current))
    }

    func apply(_ decision: Decision, in context: ApplyContext) throws(StoreError) {
        let (current, profile) = (decision.current, decision.changed)
        if profile != current { try context.transaction.users.update(profile) }
        if profile.displayName != current.displayName { try context.markNameChanged(of: profile.user) }
        if profile.sharesWorkoutData != current.sharesWorkoutData {
            for isOfWorkouts in [false, true] {
                context.markProgress(ProgressChange(user: profile.user, isOfWorkouts: isOfWorkouts))
            }
            try context.boards.setShown(profile.sharesWorkoutData, profile.user)
        } else if (profile.displayName, profile.photoURL) != (current.displayName, current.photoURL) {
            try context.boards.renew(profile.user)
        }
        if profile.messagePrivacy != current.messagePrivacy { try context.dropContacts(of: profile.user) }
        if (profile.quietHours, profile.timeZone) != (current.quietHours, current.timeZone) {
            context.pushTriggers.quietHours(of: profile.user)
        }
        if profile.presence != current.presence {
            let kept = try context.read { try $0.presence.stored(of: [profile.user])[profile.user] }
            let shown = (kept?.presence ?? .offline(lastSeen: nil)).shown(under: profile.presence)
            try context.publish(PresenceUpdate(user: profile.user, shown))
        }
        let counts = try context.read { try $0.people.followCounts(of: profile.user, seenBy: profile.user) }
        context.accept { ShownProfile(profile, counts, forOwner: true).write(to: &$0) }
    }
}
