import Synchronization

/// An S3-compatible service in this process: one bucket in memory, with the operations that a web door asks for, and
/// faults where a test wants them. It takes any credentials.
package final class ObjectStorageDouble: Sendable {
    package enum Fault: Hashable, Sendable {
        /// Nothing is done, and this is the answer.
        case answer(Int, body: String = "")
        /// Nothing is done, and the answer is as if it were.
        case forgotten
        /// It is done, and the answer has another entity tag.
        case otherTag
        /// It is done, and the answer lacks its end; its length is that of what is left.
        case short
        /// It is done, and the connection ends in the middle of the answer.
        case brokenOff
    }

    private final class Contents: Sendable {
        let state = Mutex((bucket: BucketDouble(), faults: [BucketDouble.Operation: Fault]()))
    }

    private let contents = Contents()
    private let server: HTTPDouble

    package init() throws {
        server = try HTTPDouble { [contents] request in
            guard let operation = BucketDouble.Operation(request) else { return .answer(405) }
            return contents.state.withLock { state in
                ObjectStorageDouble.perform(operation, request, on: &state.bucket, state.faults[operation])
            }
        }
    }

    package var port: Int { server.port }
    package var url: String { "http://127.0.0.1:\(port)" }
    package var names: Set<String> { contents.state.withLock { Set($0.bucket.objects.keys) } }

    package func close() { server.close() }

    /// From now on every such operation has the fault, or none.
    package func set(_ fault: Fault?, on operation: BucketDouble.Operation) {
        contents.state.withLock { $0.faults[operation] = fault }
    }

    private static func perform(
        _ operation: BucketDouble.Operation, _ request: HTTPDouble.Request, on bucket: inout BucketDouble,
        _ fault: Fault?
    ) -> HTTPDouble.Reaction {
        let isHead = operation == .head
        switch fault {
        case nil: return reaction(bucket.perform(operation, request), isHead)
        case .answer(let status, let body)?: return .answer(status, body: isHead ? "" : body)
        case .forgotten?:
            var copy = bucket
            return reaction(copy.perform(operation, request), isHead)
        case .otherTag?:
            var answer = bucket.perform(operation, request)
            if answer.fields["ETag"] != nil { answer.fields["ETag"] = #""other""# }
            let text = String(decoding: answer.body, as: UTF8.self)
            if text.contains("<ETag>") {
                answer.body = Array(text.replacing(/<ETag>[^<]*</, with: "<ETag>&quot;other&quot;<").utf8)
            }
            return reaction(answer, isHead)
        case .short?:
            var answer = bucket.perform(operation, request)
            if isHead, let size = answer.size { answer.size = max(0, size - 1) }
            answer.body.removeLast(min(20, answer.body.count))
            return reaction(answer, isHead)
        case .brokenOff?:
            let answer = bucket.perform(operation, request)
            return .lastBytes(Array(head(answer).utf8) + answer.body.dropLast(20))
        }
    }

    private static func reaction(_ answer: BucketDouble.Answer, _ isHead: Bool) -> HTTPDouble.Reaction {
        .content(Array(head(answer).utf8) + (isHead ? [] : answer.body))
    }

    private static func head(_ answer: BucketDouble.Answer) -> String {
        let fields = answer.fields.map { "\($0.key): \($0.value)\r\n" }.joined()
        return "HTTP/1.1 \(answer.status) X\r\n\(fields)Content-Length: \(answer.size ?? answer.body.count)\r\n\r\n"
    }
}
