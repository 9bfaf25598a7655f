import CCurl
import Platform

/// The callbacks of a transfer: each copies its arguments into its ``Transfer`` and returns.
enum TransferCallbacks {
    /// - Parameter transfer: must outlive the handle.
    static func install(for transfer: Transfer, on easy: borrowing EasyHandle) throws(CurlError) {
        let code = unsafe parley_easy_set_callbacks(
            easy.pointer, Unmanaged.passUnretained(transfer).toOpaque(),
            { bytes, size, count, context in
                guard let bytes = unsafe bytes, let transfer = unsafe TransferCallbacks.transfer(context) else {
                    return Int(CURL_READFUNC_ABORT)
                }
                return unsafe transfer.readPayload(
                    into: UnsafeMutableRawBufferPointer(start: bytes, count: size * count))
            },
            // libcurl would silently repeat a request after a dead connection or a refused stream. It may not: the
            // sender decides about a repetition, and counts it.
            { _, _, _ in CURL_SEEKFUNC_FAIL },
            { bytes, size, count, context in
                guard let bytes = unsafe bytes, let transfer = unsafe TransferCallbacks.transfer(context) else {
                    return 0
                }
                return unsafe transfer.append(head: UnsafeRawBufferPointer(start: bytes, count: size * count))
            },
            { bytes, size, count, context in
                guard let bytes = unsafe bytes, let transfer = unsafe TransferCallbacks.transfer(context) else {
                    return 0
                }
                return unsafe transfer.append(body: UnsafeRawBufferPointer(start: bytes, count: size * count))
            },
            { context, _, _, _, _ in
                unsafe TransferCallbacks.transfer(context)?.begin()
                return CURL_PREREQFUNC_OK
            },
            { context, _, address in
                guard let address = unsafe address, let transfer = unsafe TransferCallbacks.transfer(context) else {
                    return CURL_SOCKET_BAD
                }
                return unsafe TransferCallbacks.open(address, for: transfer)
            },
            { _, tls, context in
                guard let tls = unsafe tls, let transfer = unsafe TransferCallbacks.transfer(context),
                    unsafe transfer.trust.use(for: OpaquePointer(tls))
                else { return CURLE_SSL_CERTPROBLEM }
                return CURLE_OK
            })
        try CurlLibrary.check(code)
    }

    static func transfer(_ context: UnsafeMutableRawPointer?) -> Transfer? {
        guard let context = unsafe context else { return nil }
        return unsafe Unmanaged<Transfer>.fromOpaque(context).takeUnretainedValue()
    }

    /// `socket`, for the judged address only, whatever libcurl makes of a URL or a name.
    private static func open(_ address: UnsafePointer<curl_sockaddr>, for transfer: Transfer) -> curl_socket_t {
        if let judged = transfer.origin.address {
            guard unsafe bytes(of: address) == judged.bytes else { return CURL_SOCKET_BAD }
        }
        return (try? StreamSocket.make(family: unsafe address.pointee.family)) ?? CURL_SOCKET_BAD
    }

    /// The bytes of `sin_addr` or `sin6_addr`.
    private static func bytes(of address: UnsafePointer<curl_sockaddr>) -> [UInt8]? {
        // libcurl's structure ends in a `sockaddr` that extends beyond it up to `addrlen`.
        guard let offset = MemoryLayout<curl_sockaddr>.offset(of: \.addr) else { return nil }
        let start = unsafe UnsafeRawPointer(address) + offset
        let length = unsafe Int(address.pointee.addrlen)
        switch unsafe address.pointee.family {
        case AF_INET where length >= MemoryLayout<sockaddr_in>.size:
            let value = unsafe start.loadUnaligned(as: sockaddr_in.self)
            return unsafe withUnsafeBytes(of: value.sin_addr) { unsafe Array($0) }
        case AF_INET6 where length >= MemoryLayout<sockaddr_in6>.size:
            let value = unsafe start.loadUnaligned(as: sockaddr_in6.self)
            return unsafe withUnsafeBytes(of: value.sin6_addr) { unsafe Array($0) }
        default: return nil
        }
    }
}
