import ParleyProtocol
import ParleyRules
import ParleyStore

extension ReportMetrics: CommandHandler {
    struct Decision {
        let acceptance: ReportMetricsRule.Decision
        /// Whether it is the first report of the day.
        let isNew: Bool
    }

    /// How far a device's clock may be ahead.
    private static let clockTolerance = Duration.seconds(300)

    func decide(in context: DecisionContext) throws -> Decision {
        let user = context.sender.user
        let zone = try CivilZones.require(timeZone)
        let existing = try context.facts.metrics.day(day, of: user)
        let acceptance = try ReportMetricsRule.decide(
            self, existing: existing, today: zone.day(at: context.now.advanced(by: Self.clockTolerance)),
            caps: context.settings.metricCaps)
        if existing == nil { try context.checkRoom(for: StorageCost.row, of: user) }
        return Decision(acceptance: acceptance, isNew: existing == nil)
    }

    func apply(_ decision: Decision, in context: ApplyContext) throws(StoreError) {
        let user = context.sender.user
        switch decision.acceptance {
        case .unchanged(let metrics): context.accept { metrics.write(to: &$0) }
        case .keep(let metrics):
            if decision.isNew { try context.charge(StorageCost.row, to: user) }
            try context.transaction.metrics.save(metrics, of: user, at: context.now)
            context.markProgress(ProgressChange(user: user, isOfWorkouts: false))
            context.accept { metrics.write(to: &$0) }
        }
    }
}

extension Settings {
    var metricCaps: MetricCaps {
        MetricCaps(steps: stepsPerDay, calories: caloriesPerDay, exerciseMinutes: exerciseMinutesPerDay)
    }
}
