import Foundation
import Launch

/// A certificate that a server shows, signed by its own key, which is so also the authority that clients trust.
package struct ServerCertificate: Sendable {
    package let certificate: String
    let key: String

    /// - Parameter name: the only host's name that it is for.
    package init(name: String) throws {
        let folder = FileManager.default.temporaryDirectory.appending(path: "parley-\(UInt64.random(in: 0 ... .max))")
        try FileManager.default.createDirectory(
            at: folder, withIntermediateDirectories: true, attributes: [.posixPermissions: 0o700])
        defer { try? FileManager.default.removeItem(at: folder) }
        let (keyFile, file) = (folder.appending(path: "key.pem"), folder.appending(path: "certificate.pem"))
        let log = folder.appending(path: "log")
        let status = try ChildProcess(
            "/usr/bin/openssl",
            [
                "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes", "-days", "2",
                "-subj", "/CN=\(name)", "-addext", "subjectAltName=DNS:\(name)", "-keyout", keyFile.path,
                "-out", file.path,
            ], errors: log.path
        ).waitUntilEnded()
        guard status == 0 else { throw StartError("openssl", try String(contentsOf: log, encoding: .utf8)) }
        key = try String(contentsOf: keyFile, encoding: .utf8)
        certificate = try String(contentsOf: file, encoding: .utf8)
    }
}
