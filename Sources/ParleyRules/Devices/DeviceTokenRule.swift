import ParleyProtocol

/// Decides `devices/renew`, `admin/add-device` and `admin/renew-device`: when a request is a repeat, and how long the
/// token before a renewal signs in (protocol §5).
package enum DeviceTokenRule {
    /// The longest time that the old token of a renewal signs in.
    private static let previousLifetime = Duration.days(1)

    /// How long an equal request of the same device is a repeat; later it is a new request.
    private static let repeatedWithin = Duration.seconds(60)

    /// `devices/renew`
    ///
    /// - Parameter device: the device that the request names.
    /// - Throws: `forbidden` for another device than the caller.
    package static func checkRenewal(of device: DeviceID?, by caller: DeviceID) throws(Rejection) {
        guard device ?? caller == caller else {
            throw Rejection(.forbidden, "A device renews its own token and no other.")
        }
    }

    /// `admin/add-device` of what is to be a new device, unless it repeats the request that has made the device.
    ///
    /// - Parameter isLive: whether the device is there.
    /// - Throws: `conflict` for a device that is there: a new token would end the one that it signs in with.
    package static func checkAddition(of device: DeviceAddress, isLive: Bool) throws(Rejection) {
        guard !isLive else {
            throw Rejection(
                .conflict,
                "\(device) is there; `parley device renew-token \(device.user) \(device.device)` gives it a new token, which "
                    + "ends the old one.")
        }
    }

    /// `admin/renew-device`
    ///
    /// - Parameter isLive: whether the device is there.
    /// - Throws: `not_found`
    package static func checkAnew(isLive: Bool) throws(Rejection) {
        guard isLive else { throw .deviceNotFound }
    }

    /// Whether a request repeats an earlier one with the same digest. Either time may be the later one, if the clock
    /// was set back.
    package static func isRepeat(at now: Timestamp, of time: Timestamp) -> Bool {
        max(time.duration(to: now), now.duration(to: time)) < repeatedWithin
    }

    /// When the old token of a renewal ends: not after its own expiry, nor after that of the new one, which answers
    /// repeats as long as the old one signs in.
    package static func previousEnd(old: Timestamp, new: Timestamp, now: Timestamp) -> Timestamp {
        min(now.advanced(by: previousLifetime), old, new)
    }
}
