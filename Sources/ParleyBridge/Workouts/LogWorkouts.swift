import ParleyProtocol
import ParleyRules
import ParleyStore

extension LogWorkout: OnceHandler {
    struct New {
        let workout: CountedWorkout
        let memberships: Memberships
    }

    /// The groups in which the workouts of a user count.
    struct Memberships {
        let groups: [GroupMembership]
        /// Whether the boards of the groups show the user.
        let isShown: Bool

        /// - Throws: `forbidden` to operators.
        init(of user: UserID, _ facts: Snapshot) throws {
            guard let found = try facts.boards.memberships(of: user) else { throw WorkoutRule.refusalOfOperators }
            (groups, isShown) = found
        }

        /// The zones in which the user's weeks begin; the first is that of replies.
        var zones: [String] { groups.isEmpty ? ["UTC"] : groups.map(\.timeZone) }
    }

    func first(in context: DecisionContext) throws -> (digest: [UInt8]?, outcome: () throws -> WorkoutReply)? {
        guard let made = try context.facts.workouts.workout(id) else { return nil }
        return (made.digest, { made.reply })
    }

    func decideNew(in context: DecisionContext) throws -> New {
        let (user, facts) = (context.sender.user, try context.facts)
        let zone = try CivilZones.require(timeZone)
        try WorkoutRule.check(completedAt: completedAt, now: context.now)
        let memberships = try Memberships(of: user, facts)
        let workout = CountedWorkout(id: id, completedAt: completedAt, day: zone.day(at: completedAt), zone: timeZone)
        try WorkoutRule.check(
            in: memberships.zones.lazy.map { WeekPeriods.period(at: completedAt, in: $0) },
            countOfDay: facts.workouts.count(of: user, on: workout.day, atMost: WorkoutRule.mostOfDay),
            grace: context.settings.weekGrace, now: context.now)
        try context.checkRoom(for: StorageCost.row, of: user)
        return New(workout: workout, memberships: memberships)
    }

    func make(_ new: New, digest: [UInt8], in context: ApplyContext) throws(StoreError) -> WorkoutReply {
        let (user, workout, memberships) = (context.sender.user, new.workout, new.memberships)
        try context.charge(StorageCost.row, to: user)
        let change = try context.transaction.facts.change(adding: workout.day, to: user)
        try context.transaction.workouts.apply(change, to: user)
        let trainee = try context.boards.trainee(user, with: workout)
        let reply = try context.boards.reply(id, trainee, completedAt, in: memberships.zones[0])
        try context.transaction.workouts.insert(
            workout, of: user, kind: kind, minutes: minutes, digest: digest, reply: reply)
        context.markProgress(ProgressChange(user: user, isOfWorkouts: true))
        guard memberships.isShown else { return reply }
        try context.boards.update(trainee, since: completedAt, in: memberships.groups)
        for (days, first) in change.milestones(of: reply.streakDays) {
            try context.feed.record(of: user, .streakMilestone(days: days, since: first.description))
        }
        return reply
    }
}

extension Snapshot {
    /// The change of a user's runs of days by a workout on a day.
    fileprivate func change(adding day: CivilDay, to user: UserID) throws(StoreError) -> DayRunChange {
        let before = try workouts.run(of: user, beginningBy: day)
        let after =
            before?.contains(day) == true ? nil : try workouts.run(of: user, beginningOn: day.advanced(byDays: 1))
        return DayRunChange(adding: day, before: before, after: after)
    }
}

extension DayRunChange {
    /// The milestones that the current streak has reached by it, and its first day.
    ///
    /// - Parameter streak: its number of days.
    fileprivate func milestones(of streak: Int) -> [(days: Int, first: CivilDay)] {
        // A run that is not the current streak has ended, or begins later.
        guard let run = added.first, run.days == streak else { return [] }
        let before = removed.first { $0.last == run.last }?.days ?? run.days - 1
        return StreakMilestones.reached(from: before, to: streak).map { ($0, run.first) }
    }
}

extension DeleteWorkout: CommandHandler {
    struct Decision {
        let workout: StoredWorkout
        let memberships: LogWorkout.Memberships
    }

    func decide(in context: DecisionContext) throws -> Decision {
        let (user, facts) = (context.sender.user, try context.facts)
        // To others the workout does not exist.
        guard let workout = try facts.workouts.workout(id), workout.user == user else {
            throw Rejection.workoutNotFound
        }
        return Decision(workout: workout, memberships: try LogWorkout.Memberships(of: user, facts))
    }

    /// Final boards stay as they are.
    func apply(_ decision: Decision, in context: ApplyContext) throws(StoreError) {
        let (user, workout, memberships) = (context.sender.user, decision.workout, decision.memberships)
        let trainee = try context.boards.trainee(user)
        if let day = workout.day {
            try context.transaction.workouts.delete(workout)
            let stored = try context.transaction.facts.workouts
            if try stored.count(of: user, on: day, atMost: 1) == 0 {
                let run = try stored.run(of: user, beginningBy: day)
                try context.transaction.workouts.apply(DayRunChange(removing: day, from: run), to: user)
            }
            context.markProgress(ProgressChange(user: user, isOfWorkouts: true))
            if memberships.isShown {
                try context.boards.update(trainee, since: workout.completedAt, in: memberships.groups)
            }
        }
        let reply = try context.boards.reply(id, trainee, workout.completedAt, in: memberships.zones[0])
        context.accept { reply.write(to: &$0) }
    }
}

extension BoardUpdates {
    /// The user's score of the week of a workout, and their current streak.
    ///
    /// - Parameter zone: the zone of the user's weeks.
    func reply(
        _ id: WorkoutID, _ trainee: TraineeHistory, _ completedAt: Timestamp, in zone: String
    ) throws(StoreError) -> WorkoutReply {
        let period = WeekPeriods.period(at: completedAt, in: zone)
        // A device's clock may be ahead into the next week.
        let current = WeekPeriods.period(at: max(batch.now, completedAt), in: zone)
        return WorkoutReply(
            id: id, week: period.week, checkIns: try trainee.score(.checkIns, in: period)?.value ?? 0,
            streakDays: try trainee.score(.streak, in: current)?.value ?? 0)
    }
}
