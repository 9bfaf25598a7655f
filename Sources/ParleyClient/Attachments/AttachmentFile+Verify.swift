import ParleyCrypto
import PrivateFiles

extension AttachmentFile {
    /// Checks that the sealed file at `path` is the one that a message names, without opening it.
    ///
    /// - Throws: `AttachmentError`, `FileError`, `CancellationError`.
    static func verify(_ seal: AttachmentSeal, _ path: String) throws {
        let input = try FileReader(path)
        try AttachmentCipher.verify(
            seal, from: { target in try input.read(into: &target) }, progress: { _ in try Task.checkCancellation() })
    }

    /// Opens a sealed file into one that is new, under the first name that is free.
    ///
    /// - Parameters:
    ///   - directory: of the new file, which is written there beside its place.
    ///   - names: the candidates, in order.
    /// - Returns: its path; `nil` if all names are taken.
    static func open(
        _ seal: AttachmentSeal, _ sealedPath: String, in directory: String, as names: [String],
        progress: AttachmentCipher.Progress
    ) throws -> String? {
        let input = try FileReader(sealedPath)
        var output = try FileWriter("\(directory)/.parley")
        try AttachmentCipher.open(
            seal, from: { target in try input.read(into: &target) }, to: { bytes in try output.write(bytes) },
            progress: { done in
                try Task.checkCancellation()
                try progress(done)
            })
        for name in names where try output.commit(asNew: "\(directory)/\(name)") { return "\(directory)/\(name)" }
        return nil
    }

    /// Opens a sealed file into memory.
    static func bytes(_ seal: AttachmentSeal, _ sealedPath: String) throws -> [UInt8] {
        let input = try FileReader(sealedPath)
        var bytes: [UInt8] = []
        bytes.reserveCapacity(seal.size)
        try AttachmentCipher.open(
            seal, from: { target in try input.read(into: &target) },
            to: { part in for index in part.indices { bytes.append(part[index]) } },
            progress: { _ in try Task.checkCancellation() })
        return bytes
    }
}
