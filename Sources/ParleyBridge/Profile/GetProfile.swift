import ParleyProtocol
import ParleyRules
import ParleyStore

extension GetProfile: QueryHandler {
    func answer(in context: QueryContext) throws -> WrittenAnswer {
        let (caller, snapshot) = (context.caller.user, context.snapshot)
        let user = user ?? caller
        try context.chargeLookup(of: user)
        guard let profile = try snapshot.users.profile(user) else { throw Rejection.userNotFound }
        let counts = try snapshot.people.followCounts(of: profile.user, seenBy: caller)
        return ShownProfile(profile, counts, forOwner: profile.user == caller).write
    }
}
