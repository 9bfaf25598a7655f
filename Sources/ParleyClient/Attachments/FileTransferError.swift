import ParleyCrypto
import ParleyProtocol
import PrivateFiles

/// Why a file was not sent or fetched. It holds no secret.
public enum FileTransferError: Error, Hashable, Sendable, CustomStringConvertible {
    /// The client was given no web door.
    case noDoor
    /// The message has no file.
    case noFile
    /// Its address is not one of the gateway's blobs. It is shown, and not fetched.
    case elsewhere
    /// There is no response of the door: why.
    case unreachable(String)
    /// The gateway or the door refuses.
    case refused(ErrorCode, String)
    /// The door has no room for it now.
    case doorFull
    /// Something else than a door of this gateway has answered, with this status.
    case notADoor(status: Int)
    /// The door has no such file for this user: the message was deleted, or the user has left.
    case gone
    /// The file that came is not the one that the message names.
    case altered(AttachmentError)
    /// This device's disk is full. What has come stays.
    case diskFull
    case disk(FileError)
    /// Not a regular file.
    case notRegular(path: String)
    /// There is something of this name, which stays as it is.
    case exists(path: String)
    /// Longer than the caller takes, in bytes.
    case tooLarge(maximum: Int)
    /// Not a PNG, JPEG, GIF or WebP, by its first bytes.
    case notAnImage
    /// Too many uploads wait.
    case tooMany

    /// A stable name for programs.
    public var code: String {
        switch self {
        case .noDoor: "no_door"
        case .noFile: "no_file"
        case .elsewhere: "elsewhere"
        case .unreachable: "unreachable"
        case .refused(let code, _): code.rawValue
        case .doorFull: "door_full"
        case .notADoor: "not_a_door"
        case .gone: "gone"
        case .altered(let error): error.code
        case .diskFull: "disk_full"
        case .disk: "disk"
        case .notRegular: "not_regular"
        case .exists: "exists"
        case .tooLarge: "too_large"
        case .notAnImage: "not_an_image"
        case .tooMany: "too_many"
        }
    }

    /// A sentence for people.
    public var description: String {
        switch self {
        case .noDoor: "no web door is known, which files go by"
        case .noFile: "the message has no file"
        case .elsewhere: "the file is not one of this gateway's; it is not fetched"
        case .unreachable(let reason): "the web door cannot be reached: \(reason)"
        case .refused(let code, let message): "\(code.rawValue): \(message)"
        case .doorFull: "the web door has no space for it now"
        case .notADoor(let status): "what answers is not the gateway's web door (HTTP \(status))"
        case .gone: "the file is not there any more, or not for this user"
        case .altered(let error): error.description
        case .diskFull: "the disk of this device is full"
        case .disk(let error): error.description
        case .notRegular(let path): "\(path) is not a file"
        case .exists(let path): "there is a \(path), which stays as it is"
        case .tooLarge(let maximum): "it has more than \(maximum) bytes"
        case .notAnImage: "it is no PNG, JPEG, GIF or WebP"
        case .tooMany: "too many files wait to be sent"
        }
    }

    /// Whether it may be otherwise later, without anybody doing something about the file.
    var passes: Bool {
        switch self {
        case .unreachable, .doorFull, .notADoor: true
        case .refused(let code, _):
            switch code {
            case .rateLimited, .unavailable, .unauthenticated, .internal: true
            case .badRequest, .forbidden, .notFound, .conflict, .tooLarge, .blocked, .requestLimit, .groupFull,
                .alreadyInGroup, .inviteInvalid, .weekClosed, .staleDevices:
                false
            }
        case .noDoor, .noFile, .elsewhere, .gone, .altered, .diskFull, .disk, .notRegular, .exists, .tooLarge,
            .notAnImage, .tooMany:
            false
        }
    }

    init(_ error: FileError) { self = error.isFull ? .diskFull : .disk(error) }

    /// The error of work with files.
    ///
    /// - Returns: `nil` for a cancellation.
    init?(work error: any Error) {
        switch error {
        case let error as FileTransferError: self = error
        case let error as FileError: self.init(error)
        case let error as AttachmentError: self = .altered(error)
        default: return nil
        }
    }
}

extension ClientError {
    init(files error: any Error) { self = FileTransferError(work: error).map { .file($0) } ?? .cancelled }
}
