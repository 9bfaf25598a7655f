import ParleyProtocol
import Platform

extension Timestamp {
    /// What this device's clock shows.
    package static var now: Timestamp {
        Timestamp(milliseconds: SystemClock.timeOfDay.milliseconds)
    }
}
