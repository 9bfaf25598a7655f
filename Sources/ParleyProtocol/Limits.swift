/// The bounds of protocol §4 that are part of the contract's form. Rates are settings of the gateway.
public enum Limits {
    /// A request's payload, in bytes.
    public static let requestBytes = 256 * 1024
    /// A packet of the gateway's, in bytes.
    public static let packetBytes = 384 * 1024
    /// Levels of nested objects and arrays, the outermost included.
    public static let jsonDepth = 16
    /// Members of one object of a request; a table keyed by id has no such bound.
    public static let objectMembers = 64
    /// A decoded `encrypted_content`, in bytes: no more than a page holds beside its envelope.
    public static let contentBytes = 64 * 1024
    /// The shortest sealed content: an authentication tag.
    public static let minimumContentBytes = 16
    public static let recipientKeys = 128
    /// A decoded `encrypted_key`, in bytes.
    public static let encryptedKeyBytes = 16...256
    public static let pageItems = 200
    /// The JSON of a page's items, in bytes; a page always has at least one item.
    public static let pageBytes = 192 * 1024
    public static let groupMembers = 10
    /// The highest count of unread messages; it stands for that many or more.
    public static let unreadCount = 1000
    /// A name, in Unicode scalars.
    public static let nameCharacters = 100
    public static let timeZoneCharacters = 64
    /// The kind of a workout, in Unicode scalars.
    public static let workoutKindCharacters = 64
    public static let workoutMinutes = 0...1440
    public static let requestIDCharacters = 64
    /// Longer than any epoch of the gateway's, in characters.
    public static let epochCharacters = 64
    /// The reason of a report, in Unicode scalars.
    public static let reasonCharacters = 1000
    /// The evidence of a report, in bytes of JSON.
    public static let evidenceBytes = 96 * 1024
    public static let urlBytes = 2048
    /// The description of an activity item, in Unicode scalars.
    public static let descriptionCharacters = 1000
    /// The metadata of an activity item, in bytes of JSON.
    public static let metadataBytes = 4096
    public static let emojiBytes = 64
    public static let expirySeconds = 1...31_536_000
    /// The uses of an invite that has a limit.
    public static let inviteUses = 1...10_000
    /// Edits of one message, so that deleting it is a bounded piece of work.
    public static let editsOfMessage = 100
    /// How long a typing indicator lasts without renewal, in milliseconds.
    public static let typingMilliseconds = 5000
    /// Steps, calories or minutes of a day; a report above that is refused as a whole.
    public static let metricAmounts = 0...10_000_000
    /// Versions of a day's report: the whole numbers that every JSON library represents exactly.
    public static let metricVersions = 0...9_007_199_254_740_991
    public static let challengeTargets = 1...1_000_000_000
    /// Civil days of a challenge.
    public static let challengeDays = 1...90
    /// The sealed bytes of a blob; the most is a setting.
    public static let blobBytes = 17...9_007_199_254_740_991
    /// The blobs that one message names.
    public static let blobsOfMessage = 8
    /// Each list of ids between a web door and the gateway.
    public static let collectedBlobs = 200
}
