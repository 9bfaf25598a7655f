import ParleyProtocol

/// Decides `devices/renew` and `admin/add-device`: when a device gets a token that it was given before, and how long
/// the one before a renewal signs in (protocol §5).
package enum DeviceTokenRule {
    /// How long the old token of a renewal signs in at most.
    private static let previousLifetime = Duration.days(1)

    /// How long after it a request for a token is taken for a repeat of one like it. What the same device asks for in
    /// the same words later is a new request.
    private static let repeatedWithin = Duration.seconds(60)

    /// `devices/renew`
    ///
    /// - Parameter device: the device that the request names.
    /// - Throws: `forbidden` for another one than the caller.
    package static func checkRenewal(of device: DeviceID?, by caller: DeviceID) throws(Rejection) {
        guard device ?? caller == caller else {
            throw Rejection(.forbidden, "A device renews its own token and no other.")
        }
    }

    /// Whether a request for a token repeats an earlier one with the same digest. Either of the two times may be the
    /// later: the clock may have been set back between them.
    package static func isRepeat(at now: Timestamp, of time: Timestamp) -> Bool {
        max(time.duration(to: now), now.duration(to: time)) < repeatedWithin
    }

    /// When the old token of a renewal ends: not after its own time, nor after that of the new one, with which every
    /// renewal is answered as long as the old one signs in.
    package static func previousEnd(old: Timestamp, new: Timestamp, now: Timestamp) -> Timestamp {
        min(now.advanced(by: previousLifetime), old, new)
    }
}
