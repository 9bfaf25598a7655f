import ParleyProtocol

/// How soon a notification is to reach its device.
enum PushUrgency: Hashable, Sendable {
    /// At once, even if that wakes the device.
    case high
    case normal
    /// When it is convenient.
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

    /// For how many seconds a service is to keep it, at most four weeks.
    var secondsToLive: Int64 { max(0, min((notification.expiresAt.milliseconds - now.milliseconds) / 1000, 2_419_200)) }
}

extension PushEndpoint {
    /// The URL written anew from what was parsed of it, so that no other reading of its host can be meant.
    var url: String {
        let rest = text.utf8.dropFirst(scheme.rawValue.utf8.count + 3)
            .drop { $0 != UInt8(ascii: "/") && $0 != UInt8(ascii: "?") }
        let path = String(decoding: rest, as: UTF8.self)
        return origin + (path.hasPrefix("/") ? path : "/" + path)
    }
}
