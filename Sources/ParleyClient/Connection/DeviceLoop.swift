import ParleyProtocol
import Platform

/// The loop of one device's connection, on its own thread: connects, serves, and pauses before the next attempt.
struct DeviceLoop {
    let configuration: DeviceConfiguration
    private let name: String?
    let mailbox: Mailbox
    var outlet: EventOutlet
    var requests: RequestBook
    var subscriptions = SubscriptionBook()
    var answers: [RequestKey: Answer] = [:]
    var cause: ConnectionError?
    /// The topic of replies to this connection, below the device's own `down/` (protocol §2).
    let replyTopic: String
    private var wasReached = false
    /// Whether a failure without a reason was diagnosed.
    private var hasDiagnosed = false

    /// - Parameter name: the connection's; `nil` for the device's main one.
    init(_ configuration: DeviceConfiguration, name: String?, _ mailbox: Mailbox, _ outlet: EventOutlet) {
        self.configuration = configuration
        self.name = name
        self.mailbox = mailbox
        self.outlet = outlet
        requests = RequestBook(firstRepeat: configuration.firstRepeat)
        replyTopic = "\(Topic.prefix)down/\(configuration.device)/\(name ?? "replies")"
    }

    mutating func run() {
        var backoff = Backoff(longest: configuration.longestPause)
        var final: ConnectionError?
        while !mailbox.isStopped {
            let rejected: ConnectionError
            do throws(ConnectionError) {
                let connection = try connect()
                backoff.reset()
                try serve(connection)
                break
            } catch {
                rejected = error
            }
            if isFinal(rejected) {
                final = rejected
                break
            }
            cause = rejected
            requests.markDisconnected(now: .now)
            subscriptions.markDisconnected()
            let pause = backoff.next()
            outlet.emit(.waiting(rejected, pause: pause))
            self.pause(until: .now.advanced(by: pause))
        }
        end(final)
    }

    private func isFinal(_ cause: ConnectionError) -> Bool {
        if cause.isFinal { return true }
        guard configuration.persistence == .onceReached, !wasReached else { return false }
        // A broker that closes without a CONNACK was reached.
        if case .notReady = cause { return false }
        return true
    }

    private mutating func connect() throws(ConnectionError) -> any TransportConnection {
        let credentials = try credentials()
        do throws(ConnectionError) {
            return try connect(credentials)
        } catch {
            guard case .notAuthorized = error else { throw error }
            // Another process of the device may have renewed and used the token meanwhile.
            let newer = try self.credentials()
            guard newer != credentials else { throw error }
            return try connect(newer)
        }
    }

    /// Waits for the credentials; commands are still handled and requests still expire.
    private mutating func credentials() throws(ConnectionError) -> DeviceCredentials {
        let question = CredentialsRequest()
        let task = question.ask(configuration.credentials, signal: mailbox.signal)
        defer { task.cancel() }
        while !mailbox.isStopped {
            handleCommands(nil)
            expire()
            switch question.answer {
            case .success(let credentials)?: return credentials
            case .failure(let error)?: throw .noCredentials(error)
            case nil: mailbox.signal.wait(until: requests.nextDeadline)
            }
        }
        throw .lost
    }

    private mutating func connect(
        _ credentials: DeviceCredentials
    ) throws(ConnectionError) -> any TransportConnection {
        guard let clientID = ClientID(address: configuration.device, connection: name) else {
            throw .other(ConnectionNameError())
        }
        let signIn = SignIn(
            gateway: configuration.gateway, clientID: clientID.description, credentials: credentials,
            timeout: configuration.connectTimeout)
        do throws(ConnectionError) {
            let connection = try configuration.transport.connect(signIn, signal: mailbox.signal)
            wasReached = true
            cause = nil
            outlet.emit(.connected)
            return connection
        } catch {
            throw diagnosed(error)
        }
    }

    /// A more precise error, where this one may mean a mismatch of TLS. Diagnosed once.
    private mutating func diagnosed(_ cause: ConnectionError) -> ConnectionError {
        switch cause {
        case .notReady, .notTrusted:
            guard !hasDiagnosed else { return cause }
            hasDiagnosed = true
            return configuration.transport.diagnose(
                cause, at: configuration.gateway, timeout: configuration.connectTimeout) ?? cause
        case .notAuthorized, .unreachable, .nameNotResolved, .tlsRequired, .tlsNotSpoken, .timedOut, .lost, .takenOver,
            .noCredentials, .other:
            return cause
        }
    }

    /// Waits between two attempts; commands are still handled and requests still expire.
    private mutating func pause(until end: ContinuousClock.Instant) {
        while !mailbox.isStopped {
            handleCommands(nil)
            expire()
            guard ContinuousClock.now < end else { return }
            mailbox.signal.wait(until: min(end, requests.nextDeadline ?? end))
        }
    }

    /// Ends all present and future requests.
    ///
    /// - Parameter final: the cause; `nil` if the connection was closed.
    mutating func end(_ final: ConnectionError?) {
        for command in mailbox.close(final ?? .lost) {
            if case .request(let request, let answer) = command { answers[request.key] = answer }
        }
        for answer in answers.values {
            answer.resume(returning: .failure(final.map { .ended($0) } ?? .cancelled))
        }
        answers.removeAll()
        outlet.finish(final)
    }
}

// MARK: Commands and answers

extension DeviceLoop {
    /// Handles commands; `connection` is the one to unsubscribe on, if any.
    mutating func handleCommands(_ connection: (any TransportConnection)?) {
        for command in mailbox.drain() {
            switch command {
            case .request(let request, let answer):
                guard requests.add(request, now: .now) else {
                    answer.resume(returning: .failure(.tooManyWaiting))
                    continue
                }
                answers[request.key] = answer
                if request.wantsReply { subscriptions.add(replyTopic) }
            case .cancel(let key):
                if requests.remove(key) { finish(key, .failure(.cancelled)) }
            case .subscribe(let filter):
                subscriptions.add(filter)
            case .unsubscribe(let filter):
                // A broken connection has no subscriptions to end.
                if subscriptions.drop(filter) { _ = try? connection?.unsubscribe(from: filter) }
            }
        }
    }

    mutating func expire() {
        for key in requests.expire(now: .now) { finish(key, .failure(.timedOut(cause: cause))) }
    }

    mutating func finish(_ key: RequestKey, _ result: Result<GatewayReply?, NoReplyError>) {
        answers.removeValue(forKey: key)?.resume(returning: result)
    }
}

/// The connection's name is not valid in a client id (protocol §1).
struct ConnectionNameError: Error, CustomStringConvertible {
    var description: String { "a connection's name has 1 to 16 letters, digits, dots, hyphens or underscores" }
}
