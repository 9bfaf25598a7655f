import Foundation
import ParleyClient
import ParleyProtocol

extension WorkoutReply {
    /// The reply in words.
    var sentence: String {
        let times = checkIns == 1 ? "1 check-in" : "\(checkIns) check-ins"
        let days = streakDays == 1 ? "1 day" : "\(streakDays) days"
        return "week \(week): \(times), \(days) in a row"
    }

    /// Of a workout that was logged: also how it is taken back.
    var loggedSentence: String { "\(sentence); parley workout delete \(id.short) takes it back" }
}

extension LocalGateway {
    /// When the week of a time was closed, of each of the user's groups, in its zone; nothing where the gateway does
    /// not say.
    func closings(at time: Timestamp, of device: DeviceAddress) async -> [String] {
        let closings = try? await messaging(as: device, storage: .memory) { client in
            try await client.ready(timeout: timeout)
            var closings: [String] = []
            for group in try await client.trainingGroups.all() {
                guard let zone = Foundation.TimeZone(identifier: group.timeZone),
                    let period = WeekInZone(at: time, zone)
                else { continue }
                // How long a week is open after its end is the same for all.
                let board = try await client.leaderboards.board(of: group.id, .checkIns)
                let grace = board.closesAt.milliseconds - board.endsAt.milliseconds
                closings.append(period.closing(after: grace, of: group.name, in: group.timeZone))
            }
            return closings
        }
        return closings ?? []
    }
}

/// The week of a time in a zone (ISO 8601).
struct WeekInZone {
    private let zone: Foundation.TimeZone
    /// Such as `2026-W47`.
    private let name: String
    private let end: Date

    init?(at time: Timestamp, _ zone: Foundation.TimeZone) {
        var calendar = Calendar(identifier: .iso8601)
        calendar.timeZone = zone
        let date = Date(timeIntervalSince1970: Double(time.milliseconds) / 1000)
        let parts = calendar.dateComponents([.yearForWeekOfYear, .weekOfYear], from: date)
        guard let year = parts.yearForWeekOfYear, let week = parts.weekOfYear,
            let end = calendar.dateInterval(of: .weekOfYear, for: date)?.end
        else { return nil }
        (self.zone, self.end) = (zone, end)
        name = "\(year)-W\(week < 10 ? "0" : "")\(week)"
    }

    /// Such as `Morning run: week 2026-W47 closed Mon 23 Nov 2026 12:00 Europe/Berlin`.
    ///
    /// - Parameter grace: how long a week is open after its end, in milliseconds.
    func closing(after grace: Int64, of group: String, in zoneName: String) -> String {
        let format = DateFormatter()
        format.locale = Locale(identifier: "en_US_POSIX")
        format.timeZone = zone
        format.dateFormat = "EEE d MMM yyyy HH:mm"
        let time = format.string(from: end.addingTimeInterval(Double(grace) / 1000))
        return "\(group.printable): week \(name) closed \(time) \(zoneName.printable)"
    }
}
