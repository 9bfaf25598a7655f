import ParleyProtocol
import PrivateFiles

/// What the files of a gateway show, also while it does not run. What cannot be looked at is `nil`.
struct StatusFiles: Hashable, Sendable {
    var databaseBytes: Int?
    var logBytes: Int?
    var freeBytes: Int?
    /// When the last backup of the timer's was made.
    var lastBackup: Timestamp?
    var certificate: CertificateState?

    init(databaseBytes: Int? = nil, logBytes: Int? = nil, freeBytes: Int? = nil) {
        (self.databaseBytes, self.logBytes, self.freeBytes) = (databaseBytes, logBytes, freeBytes)
    }

    init(in directory: String) {
        let database = "\(directory)/\(DataDirectoryLayout.database)"
        databaseBytes = Files.size(of: database)
        logBytes = Files.size(of: database + "-wal")
        freeBytes = try? Files.freeBytes(at: directory)
        lastBackup = ((try? Files.names(in: "\(directory)/\(DataDirectoryLayout.backups)")) ?? [])
            .compactMap { BackupName($0)?.at }.max()
        certificate = CertificateState(ofDoorIn: directory)
    }
}

/// The certificate that the configuration of the door before the broker names.
struct CertificateState: Hashable, Sendable {
    let file: String
    /// `nil` where the file cannot be read by this user, or is none.
    let endsAt: Timestamp?
    /// Why it is not known.
    var fault: String?

    init(file: String, endsAt: Timestamp?, fault: String? = nil) {
        (self.file, self.endsAt, self.fault) = (file, endsAt, fault)
    }

    /// `nil` where there is no door.
    init?(ofDoorIn directory: String) {
        let path = "\(directory)/\(DataDirectoryLayout.doorConfiguration)"
        guard let text = try? Files.read(path, maximum: 1 << 20).bytes,
            let file = CertificateFile.path(in: String(decoding: text, as: UTF8.self))
        else { return nil }
        do throws(FileError) {
            let pem = try Files.read(file, maximum: CertificateFile.maximumBytes).bytes
            let endsAt = CertificateFile.end(pem: pem)
            self.init(file: file, endsAt: endsAt, fault: endsAt == nil ? "it holds no certificate" : nil)
        } catch {
            self.init(file: file, endsAt: nil, fault: error.reason)
        }
    }
}
