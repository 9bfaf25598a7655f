import ParleyProtocol

/// Decides which records of a conversation are kept no longer.
package enum RetentionRule {
    /// - Parameters:
    ///   - own: of the conversation, in days; 0 for ever, `nil` without one.
    ///   - general: of the gateway's settings, in the same way.
    /// - Returns: what holds of the two.
    package static func days(own: Int?, general: Int) -> Int { own ?? general }

    /// - Parameter days: for how long records are kept; 0 for ever.
    /// - Returns: the time before which records are kept no longer; `nil` if all are kept.
    package static func end(ofDays days: Int, now: Timestamp) -> Timestamp? {
        days > 0 ? now.advanced(by: .zero - .days(days)) : nil
    }
}
