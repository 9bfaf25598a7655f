import CHTTPDoubles
import Platform

/// What makes a connection TLS: the certificate of ``TestKeys``, and the protocols that it offers.
@safe package final class ServerTLS: @unchecked Sendable {
    /// `SSL_CTX`, which OpenSSL lets any thread use.
    fileprivate let context: OpaquePointer
    /// As ALPN has it: each with its length before it (RFC 7301 §3.1). OpenSSL points into it.
    private let protocols: UnsafeMutableBufferPointer<UInt8>

    package init(protocols: [String], certificate: String = TestKeys.certificate) throws {
        let names = protocols.flatMap { [UInt8($0.utf8.count)] + Array($0.utf8) }
        unsafe self.protocols = .allocate(capacity: names.count)
        _ = unsafe self.protocols.initialize(from: names)
        guard let context = unsafe SSL_CTX_new(TLS_server_method()) else { throw TLSDoubleError() }
        unsafe self.context = unsafe context
        let certificate = try unsafe ServerTLS.read(certificate) {
            unsafe PEM_read_bio_X509($0, nil, nil, nil)
        }
        defer { unsafe X509_free(certificate) }
        let key = try unsafe ServerTLS.read(TestKeys.certificateKey) {
            unsafe PEM_read_bio_PrivateKey($0, nil, nil, nil)
        }
        defer { unsafe EVP_PKEY_free(key) }
        guard unsafe SSL_CTX_use_certificate(context, certificate) == 1,
            unsafe SSL_CTX_use_PrivateKey(context, key) == 1
        else { throw TLSDoubleError() }
        unsafe SSL_CTX_set_alpn_select_cb(
            context,
            { _, out, outLength, offered, offeredLength, context in
                guard let context = unsafe context, let out = unsafe out else { return SSL_TLSEXT_ERR_NOACK }
                let own = unsafe Unmanaged<ServerTLS>.fromOpaque(context).takeUnretainedValue().protocols
                var chosen: UnsafeMutablePointer<UInt8>?
                let code = unsafe SSL_select_next_proto(
                    &chosen, outLength, own.baseAddress, UInt32(own.count), offered, offeredLength)
                guard code == OPENSSL_NPN_NEGOTIATED, let chosen = unsafe chosen else { return SSL_TLSEXT_ERR_NOACK }
                unsafe out.pointee = unsafe UnsafePointer(chosen)
                return SSL_TLSEXT_ERR_OK
            }, Unmanaged.passUnretained(self).toOpaque())
    }

    deinit {
        unsafe SSL_CTX_free(context)
        unsafe protocols.deallocate()
    }

    private static func read(
        _ pem: String, _ parse: (OpaquePointer) -> OpaquePointer?
    ) throws -> OpaquePointer {
        let bytes = Array(pem.utf8)
        return try unsafe bytes.withUnsafeBytes { bytes in
            guard let source = unsafe BIO_new_mem_buf(bytes.baseAddress, Int32(bytes.count)) else {
                throw TLSDoubleError()
            }
            defer { unsafe BIO_free(source) }
            guard let found = unsafe parse(source) else { throw TLSDoubleError() }
            return unsafe found
        }
    }
}

struct TLSDoubleError: Error {}

/// A server's end of a connection, read and written by one thread.
@safe package final class ServerStream {
    private let descriptor: Int32
    /// `SSL`; `nil` in clear text.
    private let tls: OpaquePointer?

    /// - Returns: `nil` if there is no TLS: the client does not trust the certificate.
    package init?(_ descriptor: Int32, _ context: ServerTLS?) {
        self.descriptor = descriptor
        guard let context else {
            unsafe tls = nil
            return
        }
        guard let tls = unsafe SSL_new(context.context) else { return nil }
        unsafe self.tls = unsafe tls
        guard unsafe SSL_set_fd(tls, descriptor) == 1, unsafe SSL_accept(tls) == 1 else { return nil }
    }

    deinit { if let tls = unsafe tls { unsafe SSL_free(tls) } }

    /// What comes next; `nil` at the end.
    package func read() -> [UInt8]? {
        var bytes = [UInt8](repeating: 0, count: 16_384)
        let count = unsafe bytes.withUnsafeMutableBytes { buffer -> Int in
            guard let tls = unsafe tls else { return unsafe recv(descriptor, buffer.baseAddress, buffer.count, 0) }
            return unsafe Int(SSL_read(tls, buffer.baseAddress, Int32(buffer.count)))
        }
        return count > 0 ? Array(bytes.prefix(count)) : nil
    }

    /// - Returns: whether the client is still there.
    @discardableResult
    package func write(_ bytes: [UInt8]) -> Bool {
        guard !bytes.isEmpty else { return true }
        return unsafe bytes.withUnsafeBytes { buffer -> Bool in
            if let tls = unsafe tls { return unsafe SSL_write(tls, buffer.baseAddress, Int32(buffer.count)) > 0 }
            var done = 0
            while done < buffer.count {
                let count = unsafe send(descriptor, buffer.baseAddress.map { unsafe $0 + done }, buffer.count - done, 0)
                guard count > 0 else { return false }
                done += count
            }
            return true
        }
    }
}
