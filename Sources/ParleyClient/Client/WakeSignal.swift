import Dispatch
import Synchronization

/// Wakes one waiting loop: when it is signaled, or at a deadline. A signal is kept until the loop waits; several count
/// as one.
final class WakeSignal: Sendable {
    private struct State {
        var isSignaled = false
        var waiter: CheckedContinuation<Void, Never>?
        var timer: (any DispatchSourceTimer)?
    }

    private let state = Mutex(State())

    func signal() {
        let waiter = state.withLock { state in
            guard let waiter = state.waiter else {
                state.isSignaled = true
                return nil as CheckedContinuation<Void, Never>?
            }
            state.waiter = nil
            return waiter
        }
        waiter?.resume()
    }

    /// Returns at the next signal, at `deadline`, or when the task is cancelled; sometimes for no reason.
    func wait(until deadline: ContinuousClock.Instant? = nil) async {
        await withTaskCancellationHandler {
            await withCheckedContinuation { (continuation: CheckedContinuation<Void, Never>) in
                let isDone = state.withLock { state in
                    guard !state.isSignaled, !Task.isCancelled else {
                        state.isSignaled = false
                        return true
                    }
                    state.waiter = continuation
                    return false
                }
                guard !isDone else { return continuation.resume() }
                if let deadline { arm(deadline) }
            }
        } onCancel: {
            signal()
        }
    }

    private func arm(_ deadline: ContinuousClock.Instant) {
        let (seconds, attoseconds) = max(.zero, deadline - .now).components
        let nanoseconds = Int(min(seconds, 3600)) * 1_000_000_000 + Int(attoseconds / 1_000_000_000)
        state.withLock { state in
            let timer = DispatchSource.makeTimerSource(queue: .global())
            timer.setEventHandler { [weak self] in self?.signal() }
            timer.schedule(deadline: .now() + .nanoseconds(nanoseconds))
            timer.resume()
            state.timer?.cancel()
            state.timer = timer
        }
    }

    deinit { state.withLock { $0.timer?.cancel() } }
}
