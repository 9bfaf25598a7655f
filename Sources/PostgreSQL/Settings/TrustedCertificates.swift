import Platform

/// The certificates by which servers are verified, where the URI names none.
enum TrustedCertificates {
    /// The usual places of the system's certificates. libpq before 16 does not look there.
    private static let systemFiles = [
        "/etc/ssl/certs/ca-certificates.crt", "/etc/pki/tls/certs/ca-bundle.crt", "/etc/ssl/ca-bundle.pem",
        "/etc/ssl/cert.pem",
    ]

    /// `nil` where libpq finds its own: by `PGSSLROOTCERT`, or in the user's directory.
    static var file: String? {
        if unsafe getenv("PGSSLROOTCERT") != nil { return nil }
        if let home = unsafe getenv("HOME"), isReadable("\(unsafe String(cString: home))/.postgresql/root.crt") {
            return nil
        }
        return systemFiles.first(where: isReadable)
    }

    private static func isReadable(_ path: String) -> Bool { unsafe access(path, R_OK) == 0 }
}
