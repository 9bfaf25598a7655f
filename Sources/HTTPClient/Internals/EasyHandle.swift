import CCurl

/// A handle of libcurl for one transfer, and its lists.
@safe struct EasyHandle: ~Copyable {
    /// `CURL`
    let pointer: UnsafeMutableRawPointer
    private var lists: [UnsafeMutablePointer<curl_slist>] = unsafe []

    /// `curl_easy_init`
    init() throws(CurlError) {
        guard let pointer = unsafe curl_easy_init() else { throw CurlError(code: CURLE_OUT_OF_MEMORY.rawValue) }
        unsafe self.pointer = unsafe pointer
    }

    /// `curl_easy_cleanup`, `curl_slist_free_all`
    deinit {
        unsafe curl_easy_cleanup(pointer)
        unsafe lists.forEach { unsafe curl_slist_free_all($0) }
    }

    /// `curl_easy_setopt`
    func set(_ option: CURLoption, _ value: Int) throws(CurlError) {
        try unsafe CurlLibrary.check(parley_easy_set_number(pointer, option, value))
    }

    /// `curl_easy_setopt`
    func set(_ option: CURLoption, size: Int) throws(CurlError) {
        try unsafe CurlLibrary.check(parley_easy_set_size(pointer, option, size))
    }

    /// `curl_easy_setopt`; `nil` for nothing.
    func set(_ option: CURLoption, _ value: String?) throws(CurlError) {
        try unsafe CurlLibrary.check(parley_easy_set_text(pointer, option, value))
    }

    /// `curl_easy_setopt` with a list (`curl_slist_append`).
    mutating func set(_ option: CURLoption, _ values: [String]) throws(CurlError) {
        var list: UnsafeMutablePointer<curl_slist>?
        for value in values {
            guard let longer = unsafe curl_slist_append(list, value) else {
                unsafe curl_slist_free_all(list)
                throw CurlError(code: CURLE_OUT_OF_MEMORY.rawValue)
            }
            unsafe list = longer
        }
        if let list = unsafe list { unsafe lists.append(list) }
        try unsafe CurlLibrary.check(parley_easy_set_list(pointer, option, list))
    }

    /// `curl_easy_getinfo`; 0 if unknown.
    func number(_ info: CURLINFO) -> Int {
        var value = 0
        return unsafe parley_easy_number(pointer, info, &value) == CURLE_OK ? value : 0
    }

    /// `curl_easy_getinfo`; 0 if unknown.
    func size(_ info: CURLINFO) -> Int64 {
        var value: curl_off_t = 0
        return unsafe parley_easy_size(pointer, info, &value) == CURLE_OK ? Int64(value) : 0
    }

    /// `curl_easy_perform`, which blocks the thread.
    func perform() -> CURLcode { unsafe curl_easy_perform(pointer) }

    /// The socket of a connection that libcurl has made and does not use; -1 for none.
    func activeSocket() -> Int32 {
        var descriptor: curl_socket_t = -1
        return unsafe parley_easy_socket(pointer, CURLINFO_ACTIVESOCKET, &descriptor) == CURLE_OK ? descriptor : -1
    }

    /// `curl_easy_send`
    func send(_ bytes: UnsafeRawBufferPointer, _ count: inout Int) -> CURLcode {
        unsafe curl_easy_send(pointer, bytes.baseAddress, bytes.count, &count)
    }

    /// `curl_easy_recv`
    func receive(_ bytes: UnsafeMutableRawBufferPointer, _ count: inout Int) -> CURLcode {
        unsafe curl_easy_recv(pointer, bytes.baseAddress, bytes.count, &count)
    }
}
