import ParleyClient
import ParleyProtocol

// The commands of a chat about a user; each runs in the background and reports its result.

extension TerminalChat {
    func perform(
        _ command: ChatInput.PersonCommand, _ user: UserID, in place: ChatPlace, _ shown: ShownKeys?, _ start: Start
    ) {
        switch command {
        case .safety: showSafetyNumber(of: user, start)
        case .accept: accept(user, shown, start)
        case .decline: decline(user, start)
        case .follow: follow(user, true, start)
        case .unfollow: follow(user, false, start)
        case .block: block(user, true, start)
        case .unblock: block(user, false, start)
        }
    }

    private func showSafetyNumber(of user: UserID, _ start: Start) {
        let client = client
        start {
            do throws(ClientError) { return .numberShown(user, try await client.keys.safetyNumber(with: user)) } catch {
                return .failed(error)
            }
        }
    }

    /// Accepts a user's keys, if any wait for it, as they were shown; and else their message request.
    private func accept(_ other: UserID, _ shown: ShownKeys?, _ start: Start) {
        let client = client
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

    private func decline(_ other: UserID, _ start: Start) {
        let client = client
        attempt(start) { () async throws(ClientError) -> String in
            guard let request = try await client.messageRequests.all().first(where: { $0.user == other }) else {
                return "There is no request of \(other)'s."
            }
            try await client.messageRequests.decline(request.conversation)
            return "Put away; \(other) is not told."
        }
    }

    func listRequests(_ start: Start) {
        let client = client
        attempt(start) { () async throws(ClientError) -> String in
            let requests = try await client.messageRequests.all()
            guard !requests.isEmpty else { return "Nobody waits to write to you." }
            return requests.map { "\($0.user) wants to write to you: \($0.message?.text ?? "")" }.joined(
                separator: "\n")
        }
    }

    /// Shows that the other one waits, if they do.
    func showRequest(of other: UserID, _ start: Start) {
        let client = client
        start {
            let requests = try? await client.messageRequests.all()
            return requests?.first { $0.user == other }.map { .client(.messageRequest($0)) }
        }
    }

    private func follow(_ other: UserID, _ isWanted: Bool, _ start: Start) {
        let client = client
        attempt(start) { () async throws(ClientError) -> String in
            if isWanted { try await client.people.follow(other) } else { try await client.people.unfollow(other) }
            return isWanted ? "You follow \(other)." : "You do not follow \(other) any more."
        }
    }

    /// An event says what comes of it, where the user is the one of the conversation.
    private func block(_ other: UserID, _ isWanted: Bool, _ start: Start) {
        let client = client
        start {
            do throws(ClientError) {
                if isWanted { try await client.people.block(other) } else { try await client.people.unblock(other) }
                return nil
            } catch { return .failed(error) }
        }
    }

    func open(_ link: AppLink, _ start: Start) {
        let client = client
        attempt(start) { () async throws(ClientError) -> String in
            let opened = try await client.open(link)
            return (opened.lines + opened.instructions).joined(separator: "\n")
        }
    }

    func attempt(_ start: Start, _ body: @escaping @Sendable () async throws(ClientError) -> String) {
        start { do throws(ClientError) { return .noticed(try await body()) } catch { return .failed(error) } }
    }
}
