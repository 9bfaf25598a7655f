import Platform
import Synchronization

/// A command to the loop.
enum LoopCommand: Sendable {
    struct Start: Sendable {
        let id: TransferID
        let work: TransferWork
        let origin: HTTPOrigin
        let end: ContinuousClock.Instant
    }

    case start(Start)
    /// An unknown request has ended.
    case cancel(TransferID)
}

/// The commands of other threads to the loop.
final class Mailbox: Sendable {
    private enum Phase {
        /// Commands wait until the loop begins.
        case waiting
        case running(WakeUp)
        case stopped
    }

    private struct State {
        var phase = Phase.waiting
        var commands: [LoopCommand] = []
        var lastID: UInt64 = 0
    }

    private let state = Mutex(State())

    func makeID() -> TransferID {
        state.withLock { state in
            state.lastID += 1
            return TransferID(number: state.lastID)
        }
    }

    /// - Returns: whether the loop will see it.
    func append(_ command: LoopCommand) -> Bool {
        let (isTaken, wakeUp) = state.withLock { state -> (Bool, WakeUp?) in
            switch state.phase {
            case .waiting:
                state.commands.append(command)
                return (true, nil)
            case .running(let wakeUp):
                state.commands.append(command)
                return (true, wakeUp)
            case .stopped: return (false, nil)
            }
        }
        wakeUp?.signal()
        return isTaken
    }

    /// - Returns: `false` if it was already stopped.
    func begin(_ wakeUp: WakeUp) -> Bool {
        state.withLock { state in
            switch state.phase {
            case .waiting, .running:
                state.phase = .running(wakeUp)
                return true
            case .stopped: return false
            }
        }
    }

    /// Accepts no more commands.
    func stop() {
        let phase = state.withLock { state in
            defer { state.phase = .stopped }
            return state.phase
        }
        switch phase {
        case .running(let wakeUp): wakeUp.signal()
        case .waiting, .stopped: break
        }
    }

    /// Takes all commands out.
    func next() -> (commands: [LoopCommand], isStopped: Bool) {
        state.withLock { state in
            defer { state.commands = [] }
            switch state.phase {
            case .stopped: return (state.commands, true)
            case .waiting, .running: return (state.commands, false)
            }
        }
    }
}
