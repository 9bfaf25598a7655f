/// What a transfer is for, and who gets its result. Each is answered once, and no answer blocks.
enum TransferWork: Sendable {
    case request(HTTPRequest, @Sendable (Result<HTTPReply, SendFailure>) -> Void)
    case mail(MailSubmission, @Sendable (Result<Void, MailFailure>) -> Void)

    func fail(_ failure: SendFailure) {
        switch self {
        case .request(_, let answer): answer(.failure(failure))
        case .mail(_, let answer):
            switch failure {
            case .notSent(let reason): answer(.failure(.notSent(reason)))
            case .answerLost(let reason): answer(.failure(.answerLost(reason)))
            }
        }
    }

    /// The bytes that follow the request's head, or the commands of SMTP.
    var payload: [UInt8] {
        switch self {
        case .request(let request, _): request.body
        case .mail(let mail, _): mail.message
        }
    }
}
