import Foundation
import ParleyProtocol
import ParleyRules
import Synchronization

/// The zones of the IANA database that this machine has, by their names.
enum CivilZones {
    /// Each is looked up once. There are some hundreds, with some thousands of older names.
    private static let known = Mutex<[String: CivilZone]>([:])

    /// - Returns: `nil` for a name of no zone.
    static func zone(_ name: String) -> CivilZone? {
        known.withLock { known in
            if let zone = known[name] { return zone }
            guard CivilZones.isZone(name), let zone = TimeZone(identifier: name) else { return nil }
            let civil = CivilZone { time in
                zone.secondsFromGMT(for: Date(timeIntervalSince1970: Double(time.milliseconds) / 1000))
            }
            known[name] = civil
            return civil
        }
    }

    /// - Throws: `bad_request` for a name of no zone.
    @discardableResult
    static func require(_ name: String) throws(Rejection) -> CivilZone {
        guard let zone = zone(name) else { throw Rejection(.badRequest, "time_zone: no zone of the IANA database") }
        return zone
    }

    /// Whether a name is no offset, such as `GMT+0530`, which Foundation takes for a zone as well: two of those can be
    /// farther apart than any two places are.
    private static func isZone(_ name: String) -> Bool {
        !["GMT", "UTC"].contains(String(name.prefix(3)))
            || ["GMT", "UTC", "GMT0", "GMT+0", "GMT-0"].contains(name)
    }
}
