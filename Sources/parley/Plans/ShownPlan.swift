import ParleyClient

extension DietPlanCard {
    /// `1800 kcal a day, 14 days`; empty where the card does not say.
    var aim: String {
        [calories.map { "\($0) kcal a day" }, days.map(daysText)].compactMap(\.self).joined(separator: ", ")
    }
}

extension WorkoutPlanCard {
    /// `30 minutes a day, 14 days`; empty where the card does not say.
    var aim: String {
        [minutes.map { "\($0) minutes a day" }, days.map(daysText)].compactMap(\.self).joined(separator: ", ")
    }
}

private func daysText(_ days: Int) -> String { days == 1 ? "1 day" : "\(days) days" }
