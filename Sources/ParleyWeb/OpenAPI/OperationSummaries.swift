import ParleyProtocol

/// One sentence about each operation and resource, for the readers of the document.
enum OperationSummaries {
    /// The operation's name where there is no sentence.
    static func summary(of operation: Operation) -> String { table["\(operation)"] ?? "\(operation)." }

    static let table = [
        "messages/send": "Sends a sealed message to a conversation.",
        "messages/edit": "Replaces the content of a message of one's own.",
        "messages/delete": "Deletes a message of one's own for everybody.",
        "messages/react": "Reacts to a message; an empty reaction removes it.",
        "history/get": "A page of a conversation's records.",
        "sync/get": "The records after the cursors of the caller's conversations.",
        "receipts/delivered": "Everything up to this message has been received.",
        "receipts/read": "Everything up to this message has been read.",
        "typing/start": "The caller is typing, for five seconds. There is no reply.",
        "typing/stop": "The caller has stopped typing. There is no reply.",
        "conversations/create": "Makes a direct conversation or a group.",
        "conversations/get": "One conversation.",
        "conversations/list": "The caller's conversations, the last active first.",
        "conversations/update": "Changes a group's name, or the caller's own settings for a conversation.",
        "conversations/add-members": "Puts users into a group.",
        "conversations/remove-member": "Takes a user out of a group.",
        "conversations/set-role": "Makes a member an admin, or an admin a member.",
        "conversations/leave": "Leaves a group.",
        "requests/list": "The message requests that wait for the caller.",
        "requests/accept": "Accepts a message request.",
        "requests/decline": "Declines a message request, or takes back its acceptance.",
        "keys/publish": "Publishes the public keys of the calling device.",
        "keys/get": "The public keys of a user's devices.",
        "accounts/register": "Asks for an account by email; a code is sent. The answer is the same for every address.",
        "accounts/verify": "Makes the account that a code was sent for, and signs in.",
        "accounts/sign-in": "Signs in by email and password: makes a device, or a device's token anew.",
        "accounts/sign-in-with": "Signs in by an OpenID Connect token, and makes the account where there is none.",
        "accounts/send-code": "Sends a code for a new password, or for the account that was asked for.",
        "accounts/reset": "Sets a new password by a code, and signs out every device.",
        "accounts/providers": "How people come by accounts here.",
        "account/backup": "Stores the account key, sealed by the user's recovery key.",
        "account/get-backup": "The stored account key, sealed.",
        "account/get": "The ways in which the caller signs in.",
        "account/link": "Adds a way to sign in.",
        "account/confirm": "Confirms a linked address of email by the code that was sent to it.",
        "account/unlink": "Removes a way to sign in, but never the last.",
        "account/set-password": "Changes the caller's password.",
        "account/sign-out-everywhere": "Ends the devices of the caller's user.",
        "account/delete": "Deletes the account with everything that is only its own.",
        "links/offer": "Offers the keys of a new device to the user's other devices.",
        "links/get": "The offer of a new device.",
        "links/approve": "Certifies a new device.",
        "devices/list": "The devices of the caller's user.",
        "devices/revoke": "Ends one of the caller's own devices.",
        "devices/renew": "A new token for the calling device.",
        "push/register": "Registers the calling device with a push service.",
        "push/unregister": "Ends the calling device's registration.",
        "profile/get": "A user's profile, or the caller's with their settings.",
        "profile/set": "Changes the named fields of the caller's profile.",
        "social/follow": "Follows a user.",
        "social/unfollow": "Follows a user no longer.",
        "social/block": "Blocks a user.",
        "social/unblock": "Blocks a user no longer.",
        "social/followers": "The followers of a user.",
        "social/following": "The users whom a user follows.",
        "social/blocked": "The users whom the caller has blocked.",
        "social/can-message": "Whether a message to a user would be accepted.",
        "groups/create": "Makes a group that trains together, and its conversation.",
        "groups/get": "One group.",
        "groups/list": "The caller's groups.",
        "groups/update": "Changes a group's name.",
        "groups/delete": "Ends a group for all members.",
        "groups/leave": "Leaves a group.",
        "groups/remove-member": "Takes a user out of a group.",
        "groups/set-role": "Makes a member an admin, or an admin a member.",
        "invites/create": "Makes an invite to a group.",
        "invites/list": "The open invites of a group.",
        "invites/revoke": "Ends an invite.",
        "invites/preview": "The group that an invite opens.",
        "invites/accept": "Joins the group of an invite.",
        "workouts/log": "Logs a workout.",
        "workouts/delete": "Removes a logged workout.",
        "metrics/report": "Reports the totals of a civil day.",
        "leaderboards/get": "A board of one of the caller's groups.",
        "challenges/create": "Challenges another member of a conversation.",
        "challenges/accept": "Accepts a challenge.",
        "challenges/decline": "Declines a challenge.",
        "challenges/cancel": "Takes back a challenge before there is an answer.",
        "challenges/get": "One challenge.",
        "challenges/list": "The caller's challenges, the newest first.",
        "activity/post": "Posts an achievement.",
        "activity/list": "The achievements of the caller and their friends, the newest first.",
        "activity/react": "Reacts to an achievement.",
        "activity/unreact": "Removes the caller's reaction.",
        "summary/get": "The activity of a friend.",
        "notifications/list": "The caller's notifications, the newest first.",
        "notifications/mark-read": "Marks notifications as read.",
        "reports/create": "Reports a message or a person to the operators.",
        "admin/add-user": "Makes a user.",
        "admin/list-users": "All users.",
        "admin/add-device": "Makes a device, or a new token for one.",
        "admin/revoke-device": "Ends a device of any user.",
        "admin/explain": "Whether one person may write to another, and why.",
        "admin/list-reports": "The reports of users.",
        "admin/trace": "The course of a message or notification.",
        "admin/explain-push": "Why a user was or was not notified of a message.",
        "admin/test-push": "Sends a test notification to every registered device of a user.",
        "gateway/info": "The gateway's version, limits and operations.",
    ]
}

extension APIResource {
    var tag: String {
        switch self {
        case .document, .ticket: "web"
        case .publishPublicKey, .ownPublicKey, .publicKey: "keys"
        case .createConversation, .listConversations: "conversations"
        case .sendMessage: "messages"
        case .history: "history"
        case .markRead: "receipts"
        }
    }

    var summary: String {
        switch self {
        case .document: "This document."
        case .ticket: "A ticket that opens one WebSocket within 30 seconds."
        case .publishPublicKey: "Publishes the public key of the calling device."
        case .ownPublicKey: "The public key of the caller's newest device."
        case .publicKey: "The public key of a user's newest device."
        case .createConversation: "Makes a direct conversation or a group."
        case .listConversations: "The caller's conversations, the last active first."
        case .sendMessage: "Sends a sealed message to a conversation, and answers with all of it."
        case .history: "A page of a conversation's messages, the newest page first."
        case .markRead: "Everything up to this message has been read."
        }
    }
}
