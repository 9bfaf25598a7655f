import ParleyProtocol

/// How soon a notification is to reach its device.
enum PushUrgency: Hashable, Sendable {
    /// At once, even if that wakes the device.
    case high
    case normal
    case low
}

extension PushDelivery {
    var urgency: PushUrgency {
        switch notification.type.value {
        case .clear: .low
        case .message: .high
        case .digest, .test, .wakeUp, .feed, nil: isUrgent ? .high : .normal
        }
    }

    /// How long a service keeps it, in seconds, at most four weeks.
    var secondsToLive: Int64 { max(0, min((notification.expiresAt.milliseconds - now.milliseconds) / 1000, 2_419_200)) }
}
