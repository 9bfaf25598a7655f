// @ts-check
/**
 * What the views get from the client, and what they may call. Types only: this module is never loaded by the page.
 *
 * Every object that the client hands out is frozen and was checked: texts are strings of bounded length (to be shown
 * with `textContent`), times are milliseconds since 1970, ids are of the protocol's alphabet. Calls that ask the
 * gateway reject with `ClientError` (errors.js), whose `code` is the protocol's or one of the client's own.
 *
 * @typedef {{user: string, device: string}} Address
 *
 * @typedef {{user: string, device: string, email: string|null}} KeptDevice a device that is signed in in this browser
 *
 * @typedef {'connecting'|'online'|'offline'|'ended'} ConnectionState
 *
 * @typedef {object} Connection
 * @property {ConnectionState} state
 * @property {string|null} reason `ended`: `signed-out` (the token ended or the device was revoked), `taken-over`
 * @property {number|null} retryAt when the next attempt is made
 *
 * @typedef {{chapter: number, seq: number}} Position of a record in its conversation; order is by chapter, then seq
 *
 * @typedef {object} Member
 * @property {string} user
 * @property {string} name
 * @property {'admin'|'member'} role
 *
 * @typedef {object} Conversation
 * @property {string} id
 * @property {'direct'|'group'} type
 * @property {string} name of a direct one the other's display name; a group's name, or its members' names
 * @property {string|null} other the other user of a direct one
 * @property {readonly Member[]} members
 * @property {Message|null} lastMessage
 * @property {number} unread
 * @property {number} lastReadSeq
 * @property {boolean} isMuted
 * @property {number|null} mutedUntil
 * @property {boolean} isArchived
 * @property {boolean} isUnread marked by hand
 * @property {boolean} isMember false: left or removed; what is kept stays readable
 * @property {boolean} isAdmin
 * @property {number} updatedAt
 * @property {string|null} heldUser the user whose keys must be accepted before anything is sent
 *
 * @typedef {'queued'|'sent'|'delivered'|'read'|'failed'|'held'} Status of an own message
 *
 * @typedef {object} Message
 * @property {string} id
 * @property {string} conversation
 * @property {Position|null} position null while it waits to be sent
 * @property {Address} sender
 * @property {boolean} isOwn
 * @property {string} type `text`, `image`, `file`, `voice`, `diet_plan`, `workout_plan`, `challenge`, `system`, others
 * @property {'opened'|'unopened'|'removed'|'system'|'unknown'} state
 * @property {Content|null} content of an opened one
 * @property {string|null} error why it is not opened: a code of docs/encryption.md
 * @property {boolean} isEarlier sent before this device was there, and so not opened: show one line for all of them
 * @property {{event: string, user: string|null, by: string|null}|null} system
 * @property {string|null} replyTo
 * @property {boolean} isEdited
 * @property {boolean} isLegacy of an old app: not bound to this conversation; to be marked as such
 * @property {readonly {user: string, emoji: string}[]} reactions
 * @property {Status|null} status
 * @property {string|null} failure the code of what failed; `file_gone`: another attempt is of no use
 * @property {readonly Address[]} leftOut devices for which an own message was not sealed
 * @property {number} createdAt
 * @property {number|null} expiresAt
 *
 * @typedef {object} FileReference
 * @property {string|null} url
 * @property {Uint8Array} key
 * @property {Uint8Array} digest
 * @property {number} size
 * @property {string} name for display only
 * @property {string} mimeType the sender's word
 *
 * @typedef {object} Content of a message; the fields of its type
 * @property {string} [text]
 * @property {FileReference} [file]
 * @property {string|null} [caption]
 * @property {number|null} [width]
 * @property {number|null} [height]
 * @property {number} [durationMs]
 * @property {Readonly<Record<string, string|number|null>>} [card] of plans and challenges, by the protocol's names
 *
 * @typedef {import('./uploads.js').Upload} Upload a file whose message is not queued yet
 *
 * @typedef {object} Page
 * @property {readonly Message[]} messages ascending; those that wait to be sent come last on the newest page
 * @property {boolean} hasMore before the first
 * @property {Position|null} before for the next page
 *
 * @typedef {object} KeyNotice
 * @property {string} kind `met`, `device-added`, `device-renewed`, `device-removed`, `device-ignored`, `device-held`,
 *   `own-device-not-linked`, `account-changed`, `account-gone`, `account-appeared`, `accepted`, `verified`,
 *   `this-device-not-linked`, `own-account-refused`
 * @property {string} user
 * @property {string|null} device
 * @property {string} text a sentence for people, without a full stop
 * @property {boolean} isWarning
 * @property {boolean} asksToAccept
 *
 * @typedef {object} SafetyNumber
 * @property {string} user
 * @property {string} digits sixty
 * @property {string} code for a QR code
 * @property {boolean} isPending whether these keys wait to be accepted
 * @property {boolean} isVerified
 * @property {object} shown for `accept`
 *
 * @typedef {object} OwnDevice
 * @property {string} device
 * @property {string|null} name
 * @property {boolean} isCurrent
 * @property {boolean} isCertified by this device's own check
 * @property {boolean} hasKeys
 * @property {number|null} lastSeen
 * @property {number} expiresAt
 *
 * @typedef {object} Profile
 * @property {string} user
 * @property {string} name
 * @property {string|null} photoUrl not loaded by the page: a foreign address
 * @property {number} followers
 * @property {number} following
 * @property {Readonly<Record<string, any>>|null} settings of the own profile, by the protocol's names
 *
 * @typedef {object} Board
 * @property {string} group
 * @property {'check-ins'|'streak'} type
 * @property {string} week
 * @property {number} version
 * @property {boolean} isFinal
 * @property {number|null} endsAt
 * @property {readonly {rank: number, previousRank: number|null, user: string, name: string, value: number,
 *   reachedAt: number|null}[]} entries
 *
 * @typedef {object} Group
 * @property {string} id
 * @property {string} name
 * @property {string} conversation
 * @property {string} timeZone
 * @property {readonly Member[]} members
 * @property {boolean} isAdmin
 *
 * @typedef {object} Challenge
 * @property {string} id
 * @property {string} conversation
 * @property {string} challenger
 * @property {string} challenged
 * @property {'steps'|'calories'|'workout_count'|'streak'|string} type
 * @property {number} target
 * @property {number} durationDays
 * @property {string} status `pending`, `active`, `declined`, `cancelled`, `expired`, `completed`
 * @property {Readonly<Map<string, number>>} progress
 * @property {string|null} winner
 * @property {string|null} outcome
 * @property {number} createdAt
 * @property {number|null} endsAt
 *
 * @typedef {{items: readonly any[], next: string|null}} List a page of a list; `next` is for the next call
 */

/**
 * Events: `client.on(name, handler)` returns the function that ends it. A handler's errors are its own.
 *
 * | name | argument |
 * | --- | --- |
 * | `connection` | `Connection` |
 * | `conversations` | `{ids}`: these were added, changed or removed; ask `conversations.all()` or `get(id)` |
 * | `messages` | `{conversation, ids}`: these are new or changed; ask `messages.get(id)` |
 * | `uploads` | `{conversation, unkept}`: ask `attachments.uploads`; so many would be lost with the page |
 * | `unopened-changes` | `{conversation, sender}`: edits or reactions that could not be opened, and are not seen |
 * | `history-reset` | `{conversation}`: load its pages anew |
 * | `typing` | `{conversation, user, isTyping}` |
 * | `presence` | `{user, isOnline, lastSeen}` |
 * | `keys` | `KeyNotice` |
 * | `fault` | `{code, text}`: the gateway has said what no honest one says; nothing of it was believed |
 * | `members` | `{conversation, added, removed}` |
 * | `requests` | `{}`: message requests have changed |
 * | `notifications` | `{unread}`: the feed has changed |
 * | `activity` | `{}`: the feed of friends has changed |
 * | `board` | `Board` |
 * | `week-ended` | `{group, week}` |
 * | `groups` | `{}`: training groups have changed |
 * | `challenge` | `Challenge` |
 * | `people` | `{user}`: a friend came or went, or somebody was blocked or is no longer |
 * | `devices` | `{}`: the user's devices have changed |
 * | `link-offered` | `{device}`: a device of the user's would be linked |
 * | `resend` | `{conversation, message, step, device}`: asked for (`request`), or sealed anew for another (`answer`) |
 * | `removed` | `{}`: this browser keeps nothing of the device any more; what is shown of it must go |
 * | `dropped` | `{count}`: the storage of this browser is full or broken |
 *
 * @typedef {object} Client
 * @property {Address} address
 * @property {Connection} connection
 * @property {(name: string, handler: (argument: any) => void) => () => void} on
 * @property {() => void} start connects, and stays connected until `close`
 * @property {() => void} close
 * @property {() => Promise<void>} signOut revokes the device if it can, and removes all that this browser keeps of it
 * @property {boolean} isLinked whether this device has the account key: without it others seal nothing for it
 * @property {ConversationsFace} conversations
 * @property {MessagesFace} messages
 * @property {TypingFace} typing
 * @property {PeopleFace} people
 * @property {RequestsFace} requests
 * @property {KeysFace} keys
 * @property {DevicesFace} devices
 * @property {LinkingFace} linking
 * @property {AccountFace} account
 * @property {AttachmentsFace} attachments
 * @property {GroupsFace} groups
 * @property {BoardsFace} boards
 * @property {WorkoutsFace} workouts
 * @property {ChallengesFace} challenges
 * @property {ActivityFace} activity
 * @property {NotificationsFace} notifications
 * @property {PushFace} push
 *
 * @typedef {object} ConversationsFace
 * @property {(options?: {archived?: boolean}) => Promise<readonly Conversation[]>} all the last active first
 * @property {(id: string) => Promise<Conversation|null>} get
 * @property {(user: string) => Promise<Conversation>} direct the conversation with a user, made if there is none
 * @property {(name: string, users: string[]) => Promise<Conversation>} createGroup
 * @property {(id: string, name: string) => Promise<void>} rename
 * @property {(id: string, users: string[]) => Promise<void>} addMembers
 * @property {(id: string, user: string) => Promise<void>} removeMember
 * @property {(id: string, user: string, role: 'admin'|'member') => Promise<void>} setRole
 * @property {(id: string) => Promise<void>} leave
 * @property {(id: string, isMuted: boolean, until?: number|null) => Promise<void>} mute
 * @property {(id: string, isArchived: boolean) => Promise<void>} archive
 * @property {(id: string, isUnread: boolean) => Promise<void>} markUnread
 *
 * @typedef {object} Draft
 * @property {string} [type] `text` without it
 * @property {Content} content
 * @property {string|null} [replyTo]
 * @property {number|null} [expiresIn] whole seconds
 *
 * @typedef {object} MessagesFace
 * @property {(conversation: string, options?: {before?: Position|null, limit?: number}) => Promise<Page>} page from
 *   this device, and from the gateway where it has no more; works offline with what is here
 * @property {(id: string) => Promise<Message|null>} get
 * @property {(conversation: string, draft: Draft) => Promise<string>} send queues it, durably, and returns its id
 * @property {(conversation: string, text: string, options?: {replyTo?: string|null, expiresIn?: number|null}) =>
 *   Promise<string>} sendText
 * @property {(id: string, text: string) => Promise<void>} edit the text or caption of an own message
 * @property {(id: string) => Promise<void>} remove for everybody
 * @property {(id: string, emoji: string) => Promise<void>} react an empty one takes it back
 * @property {(id: string) => Promise<void>} retry a failed one
 * @property {(id: string) => Promise<void>} discard a failed or queued one
 * @property {(conversation: string, id: string, options?: {passingUnopened?: boolean}) => Promise<boolean>} markRead
 *   up to this message, or to the first that could not be opened; whether all of it is marked
 * @property {(words: string, options?: {conversation?: string, limit?: number}) => Promise<readonly Message[]>} search
 *   in what this device keeps
 * @property {(id: string, reason: string, options?: {block?: boolean}) => Promise<void>} report
 *
 * @typedef {object} TypingFace
 * @property {(conversation: string) => void} start at each key; paced here
 * @property {(conversation: string) => void} stop
 *
 * @typedef {object} PeopleFace
 * @property {(user?: string) => Promise<Profile>} profile
 * @property {(settings: Record<string, any>) => Promise<Profile>} setProfile by the protocol's names (`display_name`,
 *   `message_privacy`, `share_workout_data`, `send_read_receipts`, `send_typing`, `presence`, `quiet_hours`,
 *   `time_zone`)
 * @property {(user: string) => Promise<void>} follow
 * @property {(user: string) => Promise<void>} unfollow
 * @property {(user: string) => Promise<void>} block
 * @property {(user: string) => Promise<void>} unblock
 * @property {(user?: string, cursor?: string) => Promise<List>} followers items `{user, name}`
 * @property {(user?: string, cursor?: string) => Promise<List>} following
 * @property {(cursor?: string) => Promise<List>} blocked
 * @property {(user: string) => Promise<{canMessage: boolean, isLimited: boolean, reason: string}>} canMessage
 * @property {(user: string) => {isOnline: boolean, lastSeen: number|null}|null} presence
 * @property {(user: string, reason: string) => Promise<void>} report
 *
 * @typedef {object} RequestsFace message requests
 * @property {(cursor?: string) => Promise<List>} list items `{conversation, user, createdAt, message: Message|null}`
 * @property {(conversation: string) => Promise<Conversation>} accept
 * @property {(conversation: string) => Promise<void>} decline
 *
 * @typedef {object} KeysFace
 * @property {(user: string) => Promise<SafetyNumber|null>} safetyNumber
 * @property {(number: SafetyNumber) => Promise<void>} accept takes exactly the keys that were shown
 * @property {(number: SafetyNumber) => Promise<void>} verify the person has compared all digits: accepts, and remembers
 * @property {(number: SafetyNumber, code: string) =>
 *   Promise<'match'|'mismatch'|'otherUsers'|'unreadable'|'newerVersion'>} scan the text of the other screen's QR code
 * @property {(user: string) => Promise<{isVerified: boolean, isPending: boolean, isHeld: boolean}>} state
 * @property {() => Promise<readonly KeyNotice[]>} notices the last ones, newest first
 *
 * @typedef {object} DevicesFace
 * @property {() => Promise<readonly OwnDevice[]>} all
 * @property {(device: string) => Promise<void>} remove
 *
 * @typedef {object} LinkingFace
 * @property {() => Promise<{code: string, expiresAt: number}>} offer on the new device: the code to show, as a QR code
 *   and as text
 * @property {(signal?: AbortSignal) => Promise<{digits: string, adopt: () => Promise<void>}>} approved waits for the
 *   other device; `adopt` once the person has seen the same digits on both
 * @property {(code: string) => Promise<{device: string, digits: string, approve: () => Promise<void>}>} candidate on
 *   the device that has the account key
 *
 * @typedef {object} AccountFace
 * @property {() => Promise<{email: string|null, hasPassword: boolean, providers: readonly string[]}>} get
 * @property {() => Promise<string>} backUp the recovery key, shown once
 * @property {(recoveryKey: string) => Promise<void>} recover
 * @property {() => Promise<void>} reset makes another account key: contacts see a changed one
 * @property {(current: string|null, password: string) => Promise<void>} setPassword
 * @property {(keepThis: boolean) => Promise<void>} signOutEverywhere
 * @property {(password: string|null) => Promise<void>} delete removes all that this browser keeps of the device, too
 *
 * @typedef {object} AttachmentsFace
 * @property {(conversation: string, file: Blob, description: {type: 'image'|'file'|'voice', name: string,
 *   caption?: string|null, width?: number, height?: number, durationMs?: number, replyTo?: string|null}) =>
 *   Promise<string>} send seals and keeps it; it is uploaded and sent by itself, also after the page was closed
 * @property {(conversation: string) => Promise<readonly Upload[]>} uploads those that are on their way, in their order
 * @property {(id: string) => Promise<void>} retry a failed or waiting one
 * @property {(id: string) => Promise<void>} cancel
 * @property {(file: FileReference, options?: {onProgress?: (got: number, total: number) => void,
 *   signal?: AbortSignal}) => Promise<Blob>} open downloads, checks and opens it. The blob's type is
 *   `application/octet-stream`, or of a picture or a recording the type that its first bytes show, never the sender's
 *
 * @typedef {object} GroupsFace groups that train together
 * @property {() => Promise<readonly Group[]>} all
 * @property {(name: string, timeZone: string) => Promise<Group>} create
 * @property {(id: string) => Promise<Group>} get
 * @property {(id: string, name: string) => Promise<Group>} rename
 * @property {(id: string) => Promise<void>} leave
 * @property {(id: string) => Promise<void>} delete
 * @property {(id: string, user: string) => Promise<void>} removeMember
 * @property {(id: string, user: string, role: 'admin'|'member') => Promise<void>} setRole
 * @property {(id: string, options?: {uses?: number, expiresIn?: number}) =>
 *   Promise<{id: string, token: string, url: string, expiresAt: number}>} invite
 * @property {(id: string) => Promise<readonly any[]>} invites `{id, expiresAt, usesLeft, createdBy, createdAt}`
 * @property {(id: string) => Promise<void>} revokeInvite
 * @property {(token: string) => Promise<{name: string, memberCount: number, invitedBy: string, inviterName: string}>}
 *   preview
 * @property {(token: string) => Promise<Group>} acceptInvite
 *
 * @typedef {object} BoardsFace
 * @property {(group: string, type: 'check-ins'|'streak', week?: string) => Promise<Board>} get the present week's, or
 *   that of `week`, as in `2026-W48`
 *
 * @typedef {object} WorkoutsFace
 * @property {(workout: {completedAt: number, kind?: string, minutes?: number}) => Promise<{id: string, week: string,
 *   checkIns: number, streakDays: number}>} log
 * @property {(id: string) => Promise<void>} delete
 * @property {(day: {date: string, steps?: number, calories?: number, exerciseMinutes?: number}) =>
 *   Promise<void>} report the totals of a civil day
 *
 * @typedef {object} ChallengesFace
 * @property {(conversation: string, challenge: {challenged: string, type: string, target: number,
 *   durationDays: number}) => Promise<Challenge>} create
 * @property {(id: string) => Promise<Challenge>} get
 * @property {(id: string) => Promise<Challenge>} accept
 * @property {(id: string) => Promise<Challenge>} decline
 * @property {(id: string) => Promise<Challenge>} cancel
 * @property {(conversation?: string, cursor?: string) => Promise<List>} list items `Challenge`
 *
 * @typedef {object} ActivityFace
 * @property {(user?: string, cursor?: string) => Promise<List>} list items `{id, user, type, title, description,
 *   createdAt, reactions: {user, emoji}[]}`
 * @property {(item: {type: string, title: string, description?: string}) => Promise<void>} post
 * @property {(id: string, emoji: string) => Promise<void>} react
 * @property {(id: string) => Promise<void>} unreact
 * @property {(user: string) => Promise<Readonly<Record<string, any>>>} summary
 *
 * @typedef {object} NotificationsFace
 * @property {(cursor?: string) => Promise<List & {unread: number}>} list items `{id, type, actor, conversation, group,
 *   seq, message, challenge, activity, board, week, isRead, createdAt}`
 * @property {(ids: string[]|'all') => Promise<void>} markRead
 *
 * @typedef {object} PushFace
 * @property {() => Promise<'on'|'off'|'denied'|'unsupported'>} state
 * @property {(registration: ServiceWorkerRegistration) => Promise<void>} enable asks for permission: in a click
 * @property {() => Promise<void>} disable
 */

/**
 * What stands before a client: module `accounts.js`.
 *
 * @typedef {object} Accounts
 * @property {() => Promise<string|null>} unsupported why this browser is too old, as a sentence; null if it will do
 * @property {() => Promise<readonly KeptDevice[]>} kept signed in in this browser, the last one first
 * @property {() => Promise<{registration: 'open'|'invited'|'closed', providers: readonly any[]}>} providers
 * @property {(fields: {email: string, password: string, user: string, name?: string, invite?: string}) =>
 *   Promise<void>} register sends a code by mail
 * @property {(fields: {email: string, password: string, code: string, deviceName?: string}) =>
 *   Promise<Address>} verify makes the account, and keeps the new device here
 * @property {(fields: {email: string, password: string, deviceName?: string}) => Promise<Address>} signIn
 * @property {(credentials: string) => Promise<Address>} useCredentials what an operator's `parley device add --print-token` prints
 * @property {(email: string) => Promise<void>} sendCode
 * @property {(fields: {email: string, code: string, password: string}) => Promise<void>} resetPassword
 * @property {(address: Address) => Promise<Client>} open a kept device's client, not yet started
 */

export {}
