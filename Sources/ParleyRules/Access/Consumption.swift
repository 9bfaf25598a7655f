/// What somebody has used up of a rate: so much at once, and so much a second from then on.
///
/// It counts what was used and not what is left: whoever is idle needs no entry, and a limit that is changed holds at
/// once. Time is nanoseconds of a clock that nobody sets; should it go back all the same, nothing comes back and nobody
/// waits for it.
struct Consumption: Sendable {
    private var used = 0.0
    private var at: Int64 = 0

    /// Whether so much more fits into the burst now.
    func hasRoom(for amount: Int, burst: Int, perSecond: Int, uptime: Int64) -> Bool {
        remaining(perSecond: perSecond, uptime: uptime) + Double(amount) <= Double(burst)
    }

    mutating func add(_ amount: Int, perSecond: Int, uptime: Int64) {
        used = remaining(perSecond: perSecond, uptime: uptime) + Double(amount)
        at = max(at, uptime)
    }

    /// Adds what has happened already, and is not refused any more: no more than fills the burst.
    mutating func fill(_ amount: Int, burst: Int, perSecond: Int, uptime: Int64) {
        let room = Double(burst) - remaining(perSecond: perSecond, uptime: uptime)
        add(min(amount, max(0, Int(room))), perSecond: perSecond, uptime: uptime)
    }

    /// With what has happened already, likewise.
    func filled(by amount: Int, burst: Int, perSecond: Int, uptime: Int64) -> Consumption {
        var filled = self
        filled.fill(amount, burst: burst, perSecond: perSecond, uptime: uptime)
        return filled
    }

    /// What of it still counts.
    func remaining(perSecond: Int, uptime: Int64) -> Double {
        max(0, used - Double(max(0, uptime - at)) * Double(perSecond) / 1_000_000_000)
    }
}
