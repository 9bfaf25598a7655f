import ParleyProtocol

/// Decides the part of `conversations/update` that is the caller's own.
package enum PreferencesRule {
    /// The preferences after the request, which changes only the fields that it names.
    ///
    /// `is_muted` without a time mutes without end; `muted_until` mutes until then, or not at all if it is past;
    /// clearing it leaves a muted conversation muted without end.
    package static func decide(
        _ request: UpdateConversation, current: ConversationPreferences, now: Timestamp
    ) -> ConversationPreferences {
        var preferences = current.effective(at: now)
        switch (request.isMuted, request.mutedUntil) {
        case (false, _): preferences.muting = .off
        case (_, .set(let end)): preferences.muting = .until(end)
        case (true, .cleared), (true, .unchanged): preferences.muting = .forever
        case (nil, .cleared): if preferences.isMuted { preferences.muting = .forever }
        case (nil, .unchanged): break
        }
        if let isArchived = request.isArchived { preferences.isArchived = isArchived }
        if let isUnread = request.isUnread { preferences.isMarkedUnread = isUnread }
        return preferences.effective(at: now)
    }
}
