import Platform
import ParleyProtocol

/// A time of day in a zone.
struct CivilTime: Hashable, Sendable {
    /// Such as `Sat 21 Nov 2026`.
    let day: String
    /// Such as `14:32`.
    let time: String
    /// Such as `2026-11-21 14:32:05`.
    let stamp: String

    private static let weekdays = ["Sun", "Mon", "Tue", "Wed", "Thu", "Fri", "Sat"]
    private static let months = ["Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"]

    fileprivate init(_ parts: tm) {
        func two(_ number: Int32) -> String { number < 10 ? "0\(number)" : "\(number)" }
        let (year, month, date) = unsafe (Int(parts.tm_year) + 1900, parts.tm_mon, parts.tm_mday)
        let weekday = unsafe CivilTime.weekdays[Int(parts.tm_wday) % 7]
        day = "\(weekday) \(date) \(CivilTime.months[Int(month) % 12]) \(year)"
        time = unsafe "\(two(parts.tm_hour)):\(two(parts.tm_min))"
        stamp = unsafe "\(year)-\(two(month + 1))-\(two(date)) \(time):\(two(parts.tm_sec))"
    }
}

/// The zone in which times are shown.
enum TimeZone: Sendable {
    /// The system's, or the one that `TZ` names.
    case local
    case utc

    /// `localtime_r` or `gmtime_r`.
    func civil(_ time: Timestamp) -> CivilTime {
        var seconds = time_t(time.milliseconds / 1000)
        var parts = unsafe tm()
        switch self {
        case .local: unsafe localtime_r(&seconds, &parts)
        case .utc: unsafe gmtime_r(&seconds, &parts)
        }
        return unsafe CivilTime(parts)
    }
}
