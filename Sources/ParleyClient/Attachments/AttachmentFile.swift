import ParleyCrypto
import PrivateFiles

/// Seals and opens attachments from file to file, in constant memory. The work blocks its thread, and ends with
/// `CancellationError` when its task is cancelled.
public enum AttachmentFile {
    /// Seals the file at `path` into a new file at `sealedPath` (mode 0600, replacing what is there).
    ///
    /// - Parameter progress: gets now and then how many bytes of the file are done; what it throws ends the work.
    /// - Returns: what the message carries to open it by.
    /// - Throws: `FileError`, `AttachmentError.wrongSize` beyond 1 TiB, `CancellationError`. Then nothing is left at
    ///   `sealedPath` that was not there before.
    public static func seal(
        _ path: String, to sealedPath: String, progress: AttachmentCipher.Progress = { _ in }
    ) throws -> AttachmentSeal {
        let input = try FileReader(path)
        var output = try FileWriter(sealedPath)
        let seal = try AttachmentCipher.seal(
            from: { target in try input.read(into: &target) }, to: { bytes in try output.write(bytes) },
            progress: { done in
                try Task.checkCancellation()
                try progress(done)
            })
        try output.commit()
        return seal
    }

    /// Opens the sealed file at `sealedPath` into a new file at `path` (mode 0600, replacing what is there), which is
    /// there only once all of it is known to be what its sender sealed.
    ///
    /// - Parameter progress: gets now and then how many bytes of the file are done; what it throws ends the work.
    /// - Throws: `AttachmentError`, `FileError`, `CancellationError`. Then nothing is left at `path` that was not there
    ///   before.
    public static func open(
        _ seal: AttachmentSeal, _ sealedPath: String, to path: String,
        progress: AttachmentCipher.Progress = { _ in }
    ) throws {
        let input = try FileReader(sealedPath)
        var output = try FileWriter(path)
        try AttachmentCipher.open(
            seal, from: { target in try input.read(into: &target) }, to: { bytes in try output.write(bytes) },
            progress: { done in
                try Task.checkCancellation()
                try progress(done)
            })
        try output.commit()
    }
}
