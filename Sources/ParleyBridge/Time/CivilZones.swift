import Foundation
import ParleyProtocol
import ParleyRules
import Synchronization

/// The zones of the IANA database that this machine has, by their names.
enum CivilZones {
    /// Each is looked up in the files of the system once. There are some hundreds.
    private static let known = Mutex<[String: CivilZone]>([:])

    /// - Returns: `nil` for a name of no zone.
    static func zone(_ name: String) -> CivilZone? {
        known.withLock { known in
            if let zone = known[name] { return zone }
            guard let zone = TimeZone(identifier: name) else { return nil }
            let civil = CivilZone { time in
                zone.secondsFromGMT(for: Date(timeIntervalSince1970: Double(time.milliseconds) / 1000))
            }
            known[name] = civil
            return civil
        }
    }
}
