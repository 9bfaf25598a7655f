import CCurl

// The options of a handle for a mail, and what became of it.

extension EasyHandle {
    mutating func set(_ mail: MailSubmission, limits: HTTPLimits) throws(CurlError) {
        try set(CURLOPT_URL, mail.server.url)
        try set(CURLOPT_PROTOCOLS_STR, "smtp,smtps")
        switch mail.server.security {
        // TLS is there before SMTP.
        case .tls: break
        case .startTLS: try set(CURLOPT_USE_SSL, Int(CURLUSESSL_ALL.rawValue))
        case .none: try set(CURLOPT_USE_SSL, Int(CURLUSESSL_NONE.rawValue))
        }
        if let credentials = mail.server.credentials {
            try set(CURLOPT_USERNAME, credentials.user)
            try set(CURLOPT_PASSWORD, credentials.password)
        }
        try set(CURLOPT_MAIL_FROM, "<\(mail.sender)>")
        try set(CURLOPT_MAIL_RCPT, ["<\(mail.recipient)>"])
        try set(CURLOPT_UPLOAD, 1)
        try set(CURLOPT_INFILESIZE_LARGE, size: mail.message.count)
        // A connection that a server has closed meanwhile would leave in doubt whether it took the mail.
        try set(CURLOPT_FRESH_CONNECT, 1)
        try set(CURLOPT_FORBID_REUSE, 1)
        // Also for the answer to QUIT, which would else be two minutes, with the thread waiting.
        try set(CURLOPT_SERVER_RESPONSE_TIMEOUT, max(1, Int(limits.connect.components.seconds)))
    }

    /// - Parameters:
    ///   - isIssued: whether the server was asked to take the mail: MAIL, RCPT, DATA.
    ///   - isComplete: whether the whole message was given to libcurl.
    func mailResult(_ code: CURLcode, isIssued: Bool, isComplete: Bool) -> Result<Void, MailFailure> {
        if code == CURLE_OK, isComplete { return .success(()) }
        switch code {
        case CURLE_USE_SSL_FAILED: return .failure(.notSent("the server has no STARTTLS"))
        case CURLE_LOGIN_DENIED: return .failure(.notSent("the sign-in was refused"))
        default: break
        }
        let isLate = code == CURLE_OPERATION_TIMEDOUT
        guard isIssued else { return .failure(.notSent(isLate ? "no answer in time" : connectionFailure(code))) }
        // libcurl has no code of its own for each refusal; the last answer tells.
        switch number(CURLINFO_RESPONSE_CODE) {
        case let answer where (500...599).contains(answer): return .failure(.refused(answer))
        case let answer where (400...499).contains(answer): return .failure(.deferred(answer))
        default: break
        }
        let reason = isLate ? "no answer in time" : "the connection broke"
        return .failure(isComplete ? .answerLost(reason) : .notSent(reason))
    }
}
