import ParleyProtocol

/// How long a message lasts before it disappears: a number of seconds, minutes, hours, days or weeks, as `90s`, `10m`,
/// `2h`, `3d` or `4w`, within what the protocol allows.
struct MessageLifetime: Hashable, Sendable {
    let seconds: Int

    private static let units: [Character: Int] = ["s": 1, "m": 60, "h": 3600, "d": 86_400, "w": 604_800]

    init?(_ text: some StringProtocol) {
        guard let unit = text.last.flatMap({ MessageLifetime.units[$0] }), let count = Int(text.dropLast()), count > 0,
            case (let seconds, false) = count.multipliedReportingOverflow(by: unit),
            Limits.expirySeconds.contains(seconds)
        else { return nil }
        self.seconds = seconds
    }
}
