import ParleyCrypto
import ParleyProtocol
import PrivateFiles

/// The sealed files of a device, in the folder `files` of its directory: those that are to be sent, those that come,
/// and a bounded number of complete ones. Only sealed bytes lie there; the keys are in the messages.
///
/// A file's name is made of a blob's id or a digest, never of a name that somebody has given it. Each call blocks.
struct SealedFiles: Sendable {
    let directory: DeviceDirectory
    /// In bytes.
    let limit: Int

    private static let folder = "files"
    private static let (outgoing, incoming, whole, unfinished) = (".out", ".in", ".sealed", ".part")
    /// In milliseconds: what nobody has gone on with for so long is removed.
    private static let (outgoingLife, incomingLife): (Int64, Int64) = (2 * 86_400_000, 7 * 86_400_000)

    private var path: String { "\(directory.path)/\(SealedFiles.folder)" }

    func make() throws(FileError) {
        try directory.make()
        try Files.makePrivateDirectory(path)
    }

    // MARK: Names

    func outgoing(_ blob: BlobID) -> String { "\(path)/\(blob)\(SealedFiles.outgoing)" }
    func incoming(_ seal: AttachmentSeal) -> String { "\(path)/\(SealedFiles.name(seal))\(SealedFiles.incoming)" }
    func whole(_ seal: AttachmentSeal) -> String { "\(path)/\(SealedFiles.name(seal))\(SealedFiles.whole)" }

    private static func name(_ seal: AttachmentSeal) -> String {
        seal.digest.map { String($0 >> 4, radix: 16) + String($0 & 15, radix: 16) }.joined()
    }

    // MARK: What there is

    /// The complete file of a message, its own before it is sent included.
    func find(_ seal: AttachmentSeal, _ blob: BlobID) throws(FileError) -> String? {
        for path in [whole(seal), outgoing(blob)] where try Files.status(of: path)?.size == seal.sealedSize {
            return path
        }
        return nil
    }

    /// Keeps a sent file with those that were received.
    func keep(_ job: UploadJob) throws(FileError) {
        do throws(FileError) {
            try Files.move(outgoing(job.blob), to: whole(job.seal))
        } catch {
            guard error.isMissing else { throw error }
        }
        try evict(besides: nil)
    }

    /// Names a file that waits after another blob, too.
    func nameOutgoing(_ blob: BlobID, as other: BlobID) throws(FileError) {
        try Files.link(outgoing(blob), as: outgoing(other))
    }

    func removeOutgoing(_ blob: BlobID) throws(FileError) {
        try Files.remove("\(blob)\(SealedFiles.outgoing)", in: path)
    }

    func removeWhole(_ seal: AttachmentSeal) throws(FileError) {
        try Files.remove("\(SealedFiles.name(seal))\(SealedFiles.whole)", in: path)
    }

    func remove(_ file: String) throws(FileError) {
        try Files.remove(file.split(separator: "/").last.map { String($0) } ?? "", in: path)
    }

    /// Removes the complete files that were not used for longest, until the others are within the limit.
    func evict(besides used: String?) throws(FileError) {
        var files: [(name: String, size: Int, changed: Int64)] = []
        for name in try names() where name.hasSuffix(SealedFiles.whole) {
            if let status = try Files.status(of: "\(path)/\(name)") {
                files.append((name, status.size, status.changed))
            }
        }
        var bytes = files.map(\.size).reduce(0, +)
        for file in files.sorted(by: { $0.changed < $1.changed }) where bytes > limit {
            guard "\(path)/\(file.name)" != used else { continue }
            try Files.remove(file.name, in: path)
            bytes -= file.size
        }
    }

    /// Removes what killed processes have left, and what nobody waits for any more.
    ///
    /// - Parameter waiting: the blobs of messages that wait to be sent.
    func sweep(besides waiting: Set<BlobID>, now: Int64) throws(FileError) {
        for name in try names() {
            let isKept = waiting.contains { name == "\($0)\(SealedFiles.outgoing)" }
            let life =
                name.hasSuffix(SealedFiles.incoming)
                ? SealedFiles.incomingLife : name.hasSuffix(SealedFiles.whole) ? nil : SealedFiles.outgoingLife
            guard !isKept, let life, let changed = try Files.status(of: "\(path)/\(name)")?.changed,
                changed < now - life
            else { continue }
            try Files.remove(name, in: path)
        }
    }

    func clear() throws(FileError) {
        for name in try names() where name.hasSuffix(SealedFiles.whole) { try Files.remove(name, in: path) }
    }

    private func names() throws(FileError) -> [String] {
        do throws(FileError) {
            return try Files.names(in: path)
        } catch {
            guard error.isMissing else { throw error }
            return []
        }
    }
}
