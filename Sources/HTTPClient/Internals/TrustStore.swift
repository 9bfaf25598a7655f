import CCurl
import Platform

/// Certificates that are trusted, each of them owned.
@safe package final class Certificates: @unchecked Sendable {
    /// `X509`, which OpenSSL lets any thread use.
    private let list: [OpaquePointer]

    /// The system's, read once: read for each connection, they would take a megabyte each time.
    package static let system = Certificates(firstOf: systemFiles)

    /// Where systems keep those that they trust.
    package static let systemFiles = [
        "/etc/ssl/certs/ca-certificates.crt", "/etc/pki/tls/certs/ca-bundle.crt", "/etc/ssl/ca-bundle.pem",
        "/etc/ssl/cert.pem",
    ]

    /// Without any, no server can be verified.
    package var isEmpty: Bool { unsafe list.isEmpty }

    /// Those of the first of these files that has any; none where none has.
    package convenience init(firstOf files: [String]) {
        for file in files {
            guard let source = unsafe BIO_new_file(file, "r") else { continue }
            defer { unsafe BIO_free(source) }
            if let list = unsafe Certificates.read(source), unsafe !list.isEmpty {
                unsafe self.init(list: list)
                return
            }
        }
        ERR_clear_error()
        unsafe self.init(list: [])
    }

    /// - Parameter pem: texts of one certificate or more each.
    /// - Returns: `nil` if there is none in one of them, or one that cannot be read.
    package convenience init?(pem: [[UInt8]]) {
        var all: [OpaquePointer] = unsafe []
        for text in pem {
            let list = unsafe text.withUnsafeBytes { bytes -> [OpaquePointer]? in
                guard bytes.count <= Int(Int32.max),
                    let source = unsafe BIO_new_mem_buf(bytes.baseAddress, Int32(bytes.count))
                else { return nil }
                defer { unsafe BIO_free(source) }
                return unsafe Certificates.read(source)
            }
            guard let list = unsafe list, unsafe !list.isEmpty else {
                unsafe all.forEach { unsafe X509_free($0) }
                return nil
            }
            unsafe all += list
        }
        unsafe self.init(list: all)
    }

    private init(list: [OpaquePointer]) { unsafe self.list = list }

    deinit { unsafe list.forEach { unsafe X509_free($0) } }

    /// `X509_STORE_add_cert`
    fileprivate func add(to store: OpaquePointer) {
        unsafe list.forEach { _ = unsafe X509_STORE_add_cert(store, $0) }
        ERR_clear_error()
    }

    /// `PEM_read_bio_X509`, to the end; `nil` if something on the way is no certificate.
    private static func read(_ source: OpaquePointer) -> [OpaquePointer]? {
        var list: [OpaquePointer] = unsafe []
        while let certificate = unsafe PEM_read_bio_X509(source, nil, nil, nil) { unsafe list.append(certificate) }
        guard parley_pem_is_at_end() != 0 else {
            unsafe list.forEach { unsafe X509_free($0) }
            return nil
        }
        return unsafe list
    }
}

/// The store by which all connections of a client verify certificates.
@safe final class TrustStore {
    private let store: OpaquePointer?

    /// `X509_STORE_new`
    init(more: Certificates?) {
        unsafe store = X509_STORE_new()
        guard let store = unsafe store else { return }
        unsafe Certificates.system.add(to: store)
        unsafe more?.add(to: store)
    }

    deinit { unsafe X509_STORE_free(store) }

    /// `SSL_CTX_set1_verify_cert_store`: TLS of a connection goes by it.
    ///
    /// - Returns: whether it does.
    func use(for tls: OpaquePointer) -> Bool {
        guard let store = unsafe store else { return false }
        return unsafe parley_tls_set_store(tls, store) == 1
    }
}
