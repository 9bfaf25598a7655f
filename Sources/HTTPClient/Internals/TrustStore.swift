import CCurl
import Platform

/// Trusted certificates, which it owns.
@safe package final class Certificates: @unchecked Sendable {
    /// `X509`, which OpenSSL lets any thread use.
    private let list: [OpaquePointer]

    /// The system's, read once: each reading takes a megabyte.
    package static let system = Certificates(firstOf: systemFiles)

    /// The usual places of the system's certificates.
    package static let systemFiles = [
        "/etc/ssl/certs/ca-certificates.crt", "/etc/pki/tls/certs/ca-bundle.crt", "/etc/ssl/ca-bundle.pem",
        "/etc/ssl/cert.pem",
    ]

    /// Without certificates, no server can be verified.
    package var isEmpty: Bool { unsafe list.isEmpty }

    /// Those of the first of these files that has any.
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

    /// - Parameter pem: texts of one or more certificates each.
    /// - Returns: `nil` if a text has no certificate, or an unreadable one.
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

    /// `PEM_read_bio_X509`, to the end; `nil` for an unreadable certificate.
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

/// The store against which a client's connections verify certificates.
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

    /// `SSL_CTX_set1_verify_cert_store`
    ///
    /// - Returns: whether the connection now uses this store.
    func use(for tls: OpaquePointer) -> Bool {
        guard let store = unsafe store else { return false }
        return unsafe parley_tls_set_store(tls, store) == 1
    }
}
