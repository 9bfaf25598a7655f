import ParleyClient
import ParleyProtocol

// The commands of a chat about the other user; each runs in the background and reports its result.

extension TerminalChat {
    typealias Start = (@escaping Work) -> Void

    /// Accepts the other's keys, if any wait for it, as they were shown; and else their message request.
    func accept(_ shown: ShownKeys?, _ start: Start) {
        let (client, other) = (client, other)
        attempt(start) { () async throws(ClientError) -> String in
            if await client.keys.isPending(other) {
                guard let shown else { return "Compare the safety number first: /safety. Nothing was accepted." }
                try await client.keys.accept(shown)
                return "Accepted the keys of \(other)."
            }
            guard let request = try await client.messageRequests.all().first(where: { $0.user == other }) else {
                return "No key of \(other) waits to be accepted, and \(other) does not wait to write to you."
            }
            try await client.messageRequests.accept(request.conversation)
            return "\(other) may write to you."
        }
    }

    func decline(_ conversation: ConversationID?, _ start: Start) {
        let (client, other) = (client, other)
        attempt(start) { () async throws(ClientError) -> String in
            guard let conversation else { return "There is no request of \(other)'s." }
            try await client.messageRequests.decline(conversation)
            return "Put away; \(other) is not told."
        }
    }

    func listRequests(_ start: Start) {
        let client = client
        attempt(start) { () async throws(ClientError) -> String in
            let requests = try await client.messageRequests.all()
            guard !requests.isEmpty else { return "Nobody waits to write to you." }
            return requests.map { "\($0.user) wants to write to you: \($0.message?.text ?? "")" }
                .joined(separator: "\n")
        }
    }

    /// Shows that the other one waits, if they do.
    func showRequest(_ start: Start) {
        let (client, other) = (client, other)
        start {
            let requests = try? await client.messageRequests.all()
            return requests?.first { $0.user == other }.map { .client(.messageRequest($0)) }
        }
    }

    func follow(_ isWanted: Bool, _ start: Start) {
        let (client, other) = (client, other)
        attempt(start) { () async throws(ClientError) -> String in
            if isWanted { try await client.people.follow(other) } else { try await client.people.unfollow(other) }
            return isWanted ? "You follow \(other)." : "You do not follow \(other) any more."
        }
    }

    func open(_ link: AppLink, _ start: Start) {
        let client = client
        attempt(start) { () async throws(ClientError) -> String in
            let opened = try await client.open(link)
            return (opened.lines + opened.instructions).joined(separator: "\n")
        }
    }

    /// An event says what comes of it.
    func block(_ isWanted: Bool, _ start: Start) {
        let (client, other) = (client, other)
        start {
            do throws(ClientError) {
                if isWanted { try await client.people.block(other) } else { try await client.people.unblock(other) }
                return nil
            } catch {
                return .failed(error)
            }
        }
    }

    private func attempt(_ start: Start, _ body: @escaping @Sendable () async throws(ClientError) -> String) {
        start {
            do throws(ClientError) {
                return .noticed(try await body())
            } catch {
                return .failed(error)
            }
        }
    }
}
