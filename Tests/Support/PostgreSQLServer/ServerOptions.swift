/// What a server of a test is like.
package struct ServerOptions: Sendable {
    /// Whether it syncs what it commits, as in production: then COMMIT takes as long as the disk needs.
    package var syncs = false
    /// The size of a file of the WAL. Small ones are made sooner; production has 16.
    package var segmentMegabytes = ServerOptions.smallSegment
    /// A port on the loopback, for connections with a password (`PostgreSQLServer.password`); else there is a Unix
    /// socket only.
    package var port: UInt16?
    /// The server's certificate, for TLS on the port.
    package var certificate: ServerCertificate?
    /// More of `postgresql.conf`.
    package var settings: [String: String] = [:]
    /// More lines of `pg_hba.conf`.
    package var authentication: [String] = []

    static let smallSegment = 1

    package init() {}

    /// Of `postgresql.conf`, as `name=value`.
    func assignments(_ directory: ServerDirectory) -> [String] {
        var all = [
            "unix_socket_directories": directory.path, "unix_socket_permissions": "0700",
            "listen_addresses": port == nil ? "" : "127.0.0.1", "fsync": syncs ? "on" : "off",
            "full_page_writes": syncs ? "on" : "off", "shared_buffers": "32MB", "max_connections": "60",
            "logging_collector": "off", "ssl": certificate == nil ? "off" : "on", "jit": "off",
        ]
        if let port { all["port"] = "\(port)" }
        if certificate != nil {
            all["ssl_cert_file"] = directory.path + "/certificate.pem"
            all["ssl_key_file"] = directory.path + "/key.pem"
        }
        return all.merging(settings) { _, own in own }.map { "\($0)=\($1)" }.sorted()
    }

    /// `pg_hba.conf`: who may connect, and how they show who they are.
    ///
    /// `guest` is a role that a test makes, with a password on the Unix socket too.
    static let authentication = """
        local all guest scram-sha-256
        local all all trust
        local replication all trust
        host all all 127.0.0.1/32 scram-sha-256
        host replication all 127.0.0.1/32 scram-sha-256

        """
}
