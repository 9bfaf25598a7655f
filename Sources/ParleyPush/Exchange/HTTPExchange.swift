import AsyncHTTPClient
import NIOCore
import NIOHTTP1

/// Sends requests and reads what little of the answers is looked at.
struct HTTPExchange: Sendable {
    /// How often a request is sent again that HTTP/2 has refused for certain.
    static let repeats = 2

    let timeouts: PushTimeouts

    /// Sends a request, and again, unchanged, what HTTP/2 has refused for certain.
    func post(_ request: PushRequest, over client: HTTPClient) async -> Result<PushReply, SendFailure> {
        let end = ContinuousClock.now + timeouts.request
        var result = await send(request, over: client, until: end)
        for _ in 0..<HTTPExchange.repeats where result == .failure(.refusedStream) {
            guard !Task.isCancelled else { break }
            result = await send(request, over: client, until: end)
        }
        return result
    }

    private func send(
        _ request: PushRequest, over client: HTTPClient, until end: ContinuousClock.Instant
    ) async -> Result<PushReply, SendFailure> {
        var outgoing = HTTPClientRequest(url: request.url)
        outgoing.method = .POST
        outgoing.headers = HTTPHeaders(request.headers.map { ($0.name, $0.value) })
        outgoing.body = .bytes(ByteBuffer(bytes: request.body))
        let response: HTTPClientResponse
        do {
            response = try await client.execute(
                outgoing, timeout: .nanoseconds((end - .now).wholeNanoseconds))
        } catch {
            if Task.isCancelled { return .failure(.answerLost("the sender has stopped")) }
            return .failure(SendFailure(error))
        }
        return .success(
            PushReply(
                status: Int(response.status.code), isHTTP2: response.version.major == 2,
                retryAfter: response.headers.first(name: "retry-after"), body: await read(response.body, until: end)))
    }

    /// The body, at most so much as is looked at. What has come of it counts, whatever ends it: the answer is known by its
    /// status.
    private func read(_ body: HTTPClientResponse.Body, until end: ContinuousClock.Instant) async -> [UInt8] {
        await withTaskGroup(of: [UInt8]?.self) { group in
            group.addTask {
                var bytes: [UInt8] = []
                do {
                    for try await part in body {
                        bytes += part.readableBytesView.prefix(PushReply.bodyLimit - bytes.count)
                        if bytes.count >= PushReply.bodyLimit { break }
                    }
                } catch {
                    return bytes
                }
                return bytes
            }
            group.addTask {
                try? await Task.sleep(until: end, clock: .continuous)
                return nil
            }
            defer { group.cancelAll() }
            return await group.next().flatMap(\.self) ?? []
        }
    }
}

extension Duration {
    /// At least nothing, at most a day.
    var wholeNanoseconds: Int64 {
        let bounded = min(max(self, .zero), .seconds(86_400))
        return bounded.components.seconds * 1_000_000_000 + bounded.components.attoseconds / 1_000_000_000
    }
}
