/// The used part of a burst, which drains at a rate.
///
/// Since it counts the used part, idle clients need no entry, and a changed limit holds at once. Time is monotonic, in
/// nanoseconds; nothing drains while it runs back.
struct Consumption: Sendable {
    private var used = 0.0
    private var at: Int64 = 0

    func hasRoom(for amount: Int, burst: Int, perSecond: Int, uptime: Int64) -> Bool {
        remaining(perSecond: perSecond, uptime: uptime) + Double(amount) <= Double(burst)
    }

    mutating func add(_ amount: Int, perSecond: Int, uptime: Int64) {
        used = remaining(perSecond: perSecond, uptime: uptime) + Double(amount)
        at = max(at, uptime)
    }

    /// Adds what can no longer be refused, up to the burst.
    mutating func fill(_ amount: Int, burst: Int, perSecond: Int, uptime: Int64) {
        let room = Double(burst) - remaining(perSecond: perSecond, uptime: uptime)
        add(min(amount, max(0, Int(room))), perSecond: perSecond, uptime: uptime)
    }

    func filled(by amount: Int, burst: Int, perSecond: Int, uptime: Int64) -> Consumption {
        var filled = self
        filled.fill(amount, burst: burst, perSecond: perSecond, uptime: uptime)
        return filled
    }

    func remaining(perSecond: Int, uptime: Int64) -> Double {
        max(0, used - Double(max(0, uptime - at)) * Double(perSecond) / 1_000_000_000)
    }
}
