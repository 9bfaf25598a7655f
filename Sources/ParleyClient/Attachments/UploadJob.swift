import ParleyCrypto
import ParleyDeviceStore
import ParleyProtocol
import PrivateFiles

/// A sealed file that a message waits for.
struct UploadJob: Hashable, Sendable {
    let message: MessageID
    let conversation: ConversationID
    let blob: BlobID
    let seal: AttachmentSeal

    /// Of the sealed bytes.
    var size: Int { seal.sealedSize }

    init(message: MessageID, conversation: ConversationID, blob: BlobID, seal: AttachmentSeal) {
        (self.message, self.conversation, self.blob, self.seal) = (message, conversation, blob, seal)
    }

    /// - Returns: `nil` if the message names no blob, or is damaged.
    init?(_ item: QueuedMessage) {
        guard let draft = item.draft, let blob = draft.blob,
            let content = try? MessageContent(type: .known(draft.type.type), json: draft.content),
            let file = content.attachment, let seal = try? file.seal
        else { return nil }
        self.init(message: item.id, conversation: item.conversation, blob: blob, seal: seal)
    }
}

/// Where an uploaded file came from, so that a program which is started again knows it.
public struct UploadSource: Hashable, Sendable {
    public let path: String
    public let size: Int
    /// In milliseconds since 1970.
    public let changed: Int

    init(path: String, size: Int, changed: Int) { (self.path, self.size, self.changed) = (path, size, changed) }

    /// The file at a path as it is now.
    ///
    /// - Returns: `nil` if it is not a regular file.
    public init?(of path: String) {
        guard let status = try? Files.regularFile(path), let path = try? Files.absolutePath(path) else { return nil }
        self.init(path: path, size: status.size, changed: max(0, Int(status.changed)))
    }
}

extension UploadSource: GatewayObject {
    package init<Pass: FieldPass<UploadSource>>(fields pass: inout Pass) throws(Pass.Failure) {
        path = try pass.required("path", \.path, as: .text(Limits.contentBytes))
        size = try pass.required("size", \.size, as: .count)
        changed = try pass.required("changed", \.changed, as: .count)
    }
}

/// The upload of a message's file, as an app shows it.
public struct FileUpload: Hashable, Sendable {
    public let message: MessageID
    public let conversation: ConversationID
    /// Of the sealed bytes.
    public let progress: FileProgress
    public let state: State
    public let source: UploadSource?

    public enum State: Hashable, Sendable {
        case running
        /// It goes on by itself; why it does not now.
        case waiting(FileTransferError)
        /// Until ``MessagingClient/Files/resume(_:)``.
        case paused
        /// The door has all of it, and the message is sent.
        case complete
    }
}
