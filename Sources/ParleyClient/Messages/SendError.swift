import ParleyProtocol

/// Why a message has failed. It no longer delays others, and is not sent until the app retries it.
public enum SendError: Error, Hashable, Sendable, CustomStringConvertible {
    /// The gateway refused it.
    case refused(Rejection)
    /// No recipient has published keys; after one has, ``MessagingClient/retry(_:)`` sends it.
    case noRecipientKeys
    /// A recipient's device has published a key of low order.
    case weakRecipientKey
    /// None of the recipients' devices is certified by its account key; after one is, ``MessagingClient/retry(_:)``
    /// sends it.
    case uncertifiedRecipients
    /// More devices than a message can be sealed for.
    case tooManyDevices
    /// The content is over the suite's maximum, in bytes.
    case contentTooLarge(maximum: Int)
    /// The gateway's answers were repeatedly malformed.
    case malformedReply
    /// Its sealed file is gone from this device, or has changed.
    case fileLost
    /// It could not be read from the device's store, or not be sealed.
    case damaged

    public var description: String {
        switch self {
        case .refused(let rejection): "\(rejection.code.rawValue): \(rejection.message)"
        case .noRecipientKeys: "nobody it is for has published keys yet"
        case .weakRecipientKey: "a recipient's key protects nothing"
        case .uncertifiedRecipients: "none of the recipients' devices is certified by the account key of its user"
        case .tooManyDevices: "the recipients have too many devices"
        case .contentTooLarge(let maximum): "its content has more than \(maximum) bytes"
        case .malformedReply: "the gateway's replies are not of protocol version 1"
        case .fileLost: "its file is not on this device any more, or has changed"
        case .damaged: "it could not be read or sealed"
        }
    }
}

// MARK: As it is kept

extension SendError {
    /// A stable name for programs.
    public var code: String {
        switch self {
        case .refused(let rejection): rejection.code.rawValue
        case .noRecipientKeys: "no_recipient_keys"
        case .weakRecipientKey: "weak_recipient_key"
        case .uncertifiedRecipients: "uncertified_recipients"
        case .tooManyDevices: "too_many_devices"
        case .contentTooLarge: "content_too_large"
        case .malformedReply: "malformed_reply"
        case .fileLost: "file_lost"
        case .damaged: "damaged"
        }
    }

    /// One line, for the queue on disk.
    var kept: String {
        var writer = JSONWriter()
        writer.object { object in
            object.member("code", code)
            switch self {
            case .refused(let rejection): object.member("message", rejection.message)
            case .contentTooLarge(let maximum): object.member("maximum", maximum)
            case .noRecipientKeys, .weakRecipientKey, .uncertifiedRecipients, .tooManyDevices, .malformedReply,
                .fileLost, .damaged:
                break
            }
        }
        return String(decoding: writer.finish(), as: UTF8.self)
    }

    /// Unreadable text becomes ``damaged``.
    init(kept: String) {
        self = (try? SendError(reading: JSONObject(parsing: Array(kept.utf8)))) ?? .damaged
    }

    private init(reading object: JSONObject) throws {
        let code = try object.text("code", maximum: 64) ?? ""
        let plain: [SendError] = [
            .noRecipientKeys, .weakRecipientKey, .uncertifiedRecipients, .tooManyDevices, .malformedReply, .fileLost,
        ]
        if let error = plain.first(where: { $0.code == code }) {
            self = error
        } else if code == SendError.contentTooLarge(maximum: 0).code {
            self = .contentTooLarge(maximum: try object.integer("maximum", in: 0...Int.max) ?? 0)
        } else if let refusal = ErrorCode(rawValue: code) {
            self = .refused(Rejection(refusal, try object.text("message", maximum: 4096) ?? ""))
        } else {
            self = .damaged
        }
    }
}
