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
}

extension LocalGateway {
    /// When the week of a time was closed, of each of the user's groups, in its zone; nothing where the gateway does
    /// not say.
    func closings(at time: Timestamp, of device: DeviceAddress) async -> [String] {
        let closings = try? await messaging(as: device, storage: .memory) { client in
            try await client.ready(timeout: timeout)
            var closings: [String] = []
            for group in try await client.trainingGroups.all() {
                guard let zone = Foundation.TimeZone(identifier: group.timeZone), let week = ISOWeek(of: time, in: zone)
                else { continue }
                let board = try await client.leaderboards.board(of: group.id, .checkIns, week: week)
                closings.append(board.closing(of: group, in: zone))
            }
            return closings
        }
        return closings ?? []
    }
}

extension Leaderboard {
    /// Such as `Morning run: week 2026-W47 closed Mon 23 Nov 2026 12:00 Europe/Berlin`.
    func closing(of group: TrainingGroup, in zone: Foundation.TimeZone) -> String {
        let format = DateFormatter()
        format.locale = Locale(identifier: "en_US_POSIX")
        format.timeZone = zone
        format.dateFormat = "EEE d MMM yyyy HH:mm"
        let time = format.string(from: Date(timeIntervalSince1970: Double(closesAt.milliseconds) / 1000))
        return "\(group.name.printable): week \(week) \(isFinal ? "closed" : "closes") \(time) \(group.timeZone)"
    }
}

extension ISOWeek {
    /// The week at a time in a zone (ISO 8601).
    init?(of time: Timestamp, in zone: Foundation.TimeZone) {
        var calendar = Calendar(identifier: .iso8601)
        calendar.timeZone = zone
        let date = Date(timeIntervalSince1970: Double(time.milliseconds) / 1000)
        let parts = calendar.dateComponents([.yearForWeekOfYear, .weekOfYear], from: date)
        guard let year = parts.yearForWeekOfYear, let week = parts.weekOfYear else { return nil }
        self.init("\(String(year).leftPadded(4))-W\(String(week).leftPadded(2))")
    }
}

extension String {
    fileprivate func leftPadded(_ count: Int) -> String {
        String(repeating: "0", count: max(0, count - self.count)) + self
    }
}
