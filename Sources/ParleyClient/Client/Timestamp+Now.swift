import ParleyProtocol
import Platform

extension Timestamp {
    package static var now: Timestamp {
        Timestamp(milliseconds: SystemClock.timeOfDay.milliseconds)
    }
}
