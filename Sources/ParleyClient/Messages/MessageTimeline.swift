import ParleyProtocol

extension MessagingClient {
    /// The messages of a conversation for a list view: first the newest, then each change of the list. For one reader.
    ///
    /// ```swift
    /// let timeline = client.timeline(of: chat.id)
    /// for await update in timeline { list.apply(update) }
    /// ```
    ///
    /// It ends with the client. Without a connection it shows what is stored.
    ///
    /// - Parameter pageSize: 1 to 200 messages, with which it begins and which ``MessageTimeline/loadEarlier(than:)``
    ///   adds.
    public nonisolated func timeline(of conversation: ConversationID, pageSize: Int = 50) -> MessageTimeline {
        MessageTimeline(self, conversation, pageSize)
    }
}

/// The messages of a conversation, kept in order for a list view (``MessagingClient/timeline(of:pageSize:)``).
public struct MessageTimeline: AsyncSequence, Sendable {
    public typealias Element = TimelineUpdate
    public typealias Failure = Never

    /// What the list follows.
    private enum Input: Sendable {
        case event(ClientEvent)
        case earlier(than: MessageID)
    }

    private let client: MessagingClient
    private let conversation: ConversationID
    private let pageSize: Int
    private let inputs: AsyncStream<Input>
    private let requests: AsyncStream<Input>.Continuation

    init(_ client: MessagingClient, _ conversation: ConversationID, _ pageSize: Int) {
        (self.client, self.conversation) = (client, conversation)
        self.pageSize = pageSize.clamped(to: 1...Limits.pageItems)
        // Before the first page is read, so that nothing is missed between.
        (inputs, requests) = client.hub.listen { event in
            event.concerns(timelineOf: conversation) ? .event(event) : nil
        }
    }

    /// Asks for the page before a message, which is the first row's. A later update has it, or says why not.
    ///
    /// Repeats for the same row, as while a person scrolls, ask for one page.
    public func loadEarlier(than message: MessageID) { requests.yield(.earlier(than: message)) }

    public func makeAsyncIterator() -> Iterator { Iterator(self) }

    public struct Iterator: AsyncIteratorProtocol {
        private let timeline: MessageTimeline
        private var inputs: AsyncStream<Input>.Iterator
        private var list = TimelineList()
        private var isLoaded = false

        fileprivate init(_ timeline: MessageTimeline) {
            self.timeline = timeline
            inputs = timeline.inputs.makeAsyncIterator()
        }

        public mutating func next() async -> TimelineUpdate? { await next(isolation: nil) }

        public mutating func next(isolation actor: isolated (any Actor)?) async -> TimelineUpdate? {
            guard isLoaded else {
                isLoaded = true
                return await reload()
            }
            while let input = await inputs.next(isolation: actor) {
                if let update = await handle(input) { return update }
            }
            return nil
        }

        private nonisolated(nonsending) mutating func handle(_ input: Input) async -> TimelineUpdate? {
            let before = list.messages
            switch input {
            case .earlier(let message):
                guard message == list.oldest, !list.reachedStart else { return nil }
                return await loadEarlier(than: message)
            case .event(.messageAdded(let message)), .event(.messageChanged(let message)): list.put(message)
            case .event(.messageRemoved(let id, _, _)): list.remove(id)
            case .event(.status(let id, _, let status)): list.mark(id, status)
            case .event(.failed(let id, _, let error)): list.mark(id, .failed(error))
            case .event: return await reload()
            }
            let update = TimelineUpdate(from: before, to: list)
            return update.isEmpty ? nil : update
        }

        private nonisolated(nonsending) mutating func reload() async -> TimelineUpdate {
            let before = list.messages
            let limit = before.count.clamped(to: timeline.pageSize...Limits.pageItems)
            do throws(ClientError) {
                list.reload(try await timeline.client.history(of: timeline.conversation, limit: limit))
                return TimelineUpdate(from: before, to: list, isReloaded: true)
            } catch {
                return TimelineUpdate(from: before, to: list, problem: error)
            }
        }

        private nonisolated(nonsending) mutating func loadEarlier(than message: MessageID) async -> TimelineUpdate {
            let before = list.messages
            do throws(ClientError) {
                list.addEarlier(
                    try await timeline.client.history(
                        of: timeline.conversation, at: .before(.id(message)), limit: timeline.pageSize))
                return TimelineUpdate(from: before, to: list)
            } catch {
                return TimelineUpdate(from: before, to: list, problem: error)
            }
        }
    }
}

extension ClientEvent {
    /// Whether a list of a conversation's messages may change with it.
    fileprivate func concerns(timelineOf id: ConversationID) -> Bool {
        switch self {
        case .messageAdded(let message), .messageChanged(let message): message.conversation == id
        case .messageRemoved(_, let other, _), .status(_, let other, _), .failed(_, let other, _),
            .historyReset(let other):
            other == id
        case .missed: true
        case .gateway, .connected, .waiting, .ended, .change, .receipt, .typing, .conversationAdded, .membersChanged,
            .gatewayFault, .conversationChanged, .conversationRemoved, .messageRequest, .dayReported, .workoutReported,
            .requestRefused, .presence, .push, .keys, .leftOut, .resendRequested, .resent, .tokenNotRenewed, .upload,
            .storageFailed:
            false
        }
    }
}

extension Int {
    /// The iterator has an instance method `min` of its own.
    fileprivate func clamped(to range: ClosedRange<Int>) -> Int {
        Swift.min(Swift.max(self, range.lowerBound), range.upperBound)
    }
}
