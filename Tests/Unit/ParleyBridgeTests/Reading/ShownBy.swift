/// Which reads show what a write has changed, of those that the tests ask: a new operation is put into one of these
/// tables.
enum ShownBy {
    static let reads: [String: [String]] = [
        "messages/send": ["conversations/get", "conversations/list", "history/get", "notifications/list", "sync/get"],
        "messages/edit": ["conversations/get", "conversations/list", "history/get", "sync/get"],
        "messages/delete": [
            "admin/explain-push", "conversations/get", "conversations/list", "history/get", "notifications/list",
            "sync/get",
        ],
        "messages/react": ["conversations/get", "conversations/list", "history/get", "sync/get"],
        "blobs/create": ["blobs/get"], "blobs/delete": ["blobs/get"],
        "receipts/delivered": ["admin/trace", "sync/get"],
        "receipts/read": ["admin/explain-push", "admin/trace", "conversations/list", "notifications/list", "sync/get"],
        "conversations/create": ["admin/get-user", "conversations/list", "sync/get"],
        "conversations/update": ["conversations/get", "conversations/list", "history/get", "sync/get"],
        "conversations/add-members": [
            "admin/export-user", "admin/get-user", "conversations/get", "conversations/list", "history/get", "sync/get",
        ],
        "conversations/remove-member": [
            "admin/explain-push", "admin/trace", "challenges/list", "conversations/get", "conversations/list",
            "history/get", "notifications/list", "summary/get", "sync/get",
        ],
        "conversations/set-role": ["conversations/get", "conversations/list", "history/get", "sync/get"],
        "conversations/leave": [
            "challenges/get", "challenges/list", "conversations/get", "conversations/list", "history/get",
            "summary/get", "sync/get",
        ],
        "requests/accept": ["requests/list", "social/can-message"],
        "requests/decline": ["requests/list"],
        "keys/publish": ["devices/list", "keys/get"],
        "account/backup": ["account/get-backup"],
        "account/link": ["account/get"],
        "account/confirm": ["account/get"],
        "account/unlink": ["account/get"],
        "account/set-password": ["account/get"],
        "account/sign-out-everywhere": ["admin/list-users", "admin/status", "devices/list"],
        "account/delete": ["admin/list-users", "admin/status"],
        "accounts/verify": ["admin/list-users", "admin/status"],
        "accounts/sign-in": ["admin/list-users", "admin/status", "devices/list"],
        "accounts/sign-in-with": ["admin/list-users", "admin/status"],
        "accounts/reset": ["admin/list-users", "admin/status"],
        "links/offer": ["devices/list", "links/get"],
        "devices/revoke": ["admin/list-users", "admin/status", "devices/list"],
        "devices/renew": ["devices/list"],
        "profile/set": [
            "admin/list-users", "conversations/get", "conversations/list", "profile/get", "social/followers",
            "sync/get",
        ],
        "social/follow": ["profile/get", "social/followers", "social/following"],
        "social/unfollow": [
            "admin/explain", "profile/get", "social/can-message", "social/followers", "social/following", "summary/get",
        ],
        "social/block": [
            "admin/explain", "notifications/list", "profile/get", "social/blocked", "social/can-message",
            "social/followers", "social/following", "summary/get",
        ],
        "social/unblock": [
            "admin/explain", "profile/get", "social/blocked", "social/can-message", "social/followers",
            "social/following", "summary/get",
        ],
        "groups/create": ["conversations/list", "groups/list", "sync/get"],
        "groups/update": ["conversations/list", "groups/get", "groups/list", "sync/get"],
        "groups/delete": [
            "conversations/list", "groups/get", "groups/list", "invites/list", "leaderboards/get", "sync/get",
        ],
        "groups/leave": [
            "conversations/list", "groups/get", "groups/list", "invites/list", "leaderboards/get", "sync/get",
        ],
        "groups/remove-member": ["conversations/list", "groups/get", "groups/list", "leaderboards/get", "sync/get"],
        "groups/set-role": ["conversations/list", "groups/get", "groups/list", "sync/get"],
        "activity/post": ["activity/list", "summary/get"],
        "activity/react": ["activity/list", "notifications/list", "summary/get"],
        "activity/unreact": ["activity/list", "summary/get"],
        "notifications/mark-read": ["notifications/list"],
        "challenges/create": ["challenges/get", "challenges/list", "notifications/list"],
        "metrics/report": ["challenges/get", "challenges/list", "summary/get"],
        "challenges/decline": ["challenges/get", "challenges/list", "notifications/list"],
        "challenges/accept": ["challenges/get", "challenges/list", "notifications/list", "summary/get"],
        "challenges/cancel": ["challenges/get", "challenges/list", "notifications/list"],
        "invites/create": ["invites/list"],
        "invites/revoke": ["invites/list", "invites/preview"],
        "invites/accept": [
            "admin/export-user", "admin/get-user", "conversations/list", "groups/get", "groups/list", "invites/list",
            "invites/preview", "notifications/list", "sync/get",
        ],
        "workouts/log": ["challenges/get", "challenges/list", "leaderboards/get", "summary/get"],
        "workouts/delete": ["leaderboards/get", "summary/get"],
        "push/register": ["devices/list"],
        "push/unregister": ["devices/list"],
        "reports/create": ["admin/list-reports"],
        "admin/add-user": ["admin/list-users", "admin/status"],
        "admin/rename-user": [
            "admin/list-users", "conversations/get", "conversations/list", "profile/get", "social/following",
            "sync/get",
        ],
        "admin/disable-user": [
            "admin/export-user", "admin/get-user", "admin/list-users", "groups/list", "invites/preview",
            "social/can-message",
        ],
        "admin/enable-user": [
            "admin/export-user", "admin/get-user", "admin/list-users", "groups/list", "invites/preview",
            "social/can-message",
        ],
        "admin/remove-user": [
            "admin/export-user", "admin/get-user", "admin/list-users", "admin/status", "groups/list",
            "invites/preview", "social/can-message",
        ],
        "admin/erase-user": [
            "admin/export-user", "admin/get-user", "admin/list-users", "admin/status", "groups/list",
            "invites/preview", "social/can-message",
        ],
        "admin/set-retention": ["admin/get-retention"],
        "admin/renew-device": ["devices/list"],
        "admin/add-device": ["admin/list-users", "admin/status", "devices/list"],
        "admin/revoke-device": ["admin/list-users", "admin/status", "devices/list"],
    ]

    /// Which reads show something else later: what of a removed user is removed in the background.
    static let later: [String: [String]] = [
        "admin/remove-user": ["admin/export-user"], "admin/erase-user": ["admin/export-user"],
    ]

    /// What is shown at once of further cases of a write.
    static let more: [String: [String]] = [
        "metrics/report, anew": ["challenges/get", "challenges/list", "summary/get"],
        "workouts/log, a second one": ["challenges/get", "challenges/list", "leaderboards/get"],
        "workouts/delete, while challenged": ["challenges/get", "challenges/list", "leaderboards/get", "summary/get"],
        "profile/set, sharing nothing": ["challenges/get", "challenges/list", "leaderboards/get", "profile/get"],
    ]

    /// Writes that no read shows.
    static let nothing: Set<String> = [
        "accounts/register", "accounts/send-code", "admin/test-push", "blobs/collect", "links/approve", "typing/start",
        "typing/stop",
    ]
}
