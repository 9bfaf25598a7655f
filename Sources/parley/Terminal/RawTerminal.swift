import Foundation
import Platform
import PrivateFiles
import TerminalPictures

/// A terminal in raw mode: it gives each key as it is pressed and shows the bytes that are written.
///
/// It exists while the body of ``run(input:output:_:)`` runs, and however that ends the terminal is as it was before:
/// also when a signal ends the process, or a trap.
struct RawTerminal: Sendable {
    /// For one reader.
    let events: AsyncStream<Event>
    private let output: Int32

    enum Event: Hashable, Sendable {
        case bytes([UInt8])
        case resized
        /// A signal that asks the program to end.
        case asked(signal: Int32)
        /// There is no more input: the terminal is gone.
        case closed
    }

    /// The most events that wait for the reader.
    private static let capacity = 4096

    static func run<Value: Sendable>(
        input: Int32 = STDIN_FILENO, output: Int32 = STDOUT_FILENO,
        _ body: @Sendable (RawTerminal) async throws -> Value
    ) async throws -> Value {
        let signals = try TerminalSignals.descriptor()
        let (events, continuation) = AsyncStream.makeStream(
            of: Event.self, bufferingPolicy: .bufferingOldest(capacity))
        let handlers = TerminalSignals.handle()
        try TerminalModes.enter(input: input, output: output)
        defer {
            TerminalModes.leave()
            handlers.restore()
        }
        // Cancelled and awaited when the body has ended, however it does.
        async let _: Void = read(input, signals, continuation)
        return try await body(RawTerminal(events: events, output: output))
    }

    var size: TerminalSize { TerminalSize(of: output) ?? .usual }

    /// How many pixels a character takes.
    var cell: CellSize { CellSize(of: output) ?? .usual }

    /// Shows bytes. A terminal that is gone is noticed where its input ends.
    func write(_ bytes: [UInt8]) {
        try? Files.write(bytes, to: output, named: "the terminal")
    }

    // MARK: Reading

    private static func read(
        _ input: Int32, _ signals: Int32, _ continuation: AsyncStream<Event>.Continuation
    ) async {
        await withTaskCancellationHandler {
            await withCheckedContinuation { (end: CheckedContinuation<Void, Never>) in
                let thread = Thread {
                    serve(input, signals) { _ = continuation.yield($0) }
                    continuation.finish()
                    end.resume()
                }
                thread.name = "parley-terminal"
                thread.start()
            }
        } onCancel: {
            TerminalSignals.post(TerminalSignals.stop)
        }
    }

    /// Until it is stopped. Behind the end of the input there may still be signals.
    private static func serve(_ input: Int32, _ signals: Int32, _ yield: (Event) -> Void) {
        var watched = [
            pollfd(fd: signals, events: Int16(POLLIN), revents: 0),
            pollfd(fd: input, events: Int16(POLLIN), revents: 0),
        ]
        while true {
            guard unsafe poll(&watched, nfds_t(watched.count), -1) > 0 else { continue }
            if watched[0].revents != 0 {
                for byte in StandardInput.readAvailable(signals) ?? [] {
                    if byte == TerminalSignals.stop { return }
                    yield(Int32(byte) == SIGWINCH ? .resized : .asked(signal: Int32(byte)))
                }
            }
            if watched.count > 1, watched[1].revents != 0 {
                guard let bytes = StandardInput.readAvailable(input) else { continue }
                yield(bytes.isEmpty ? .closed : .bytes(bytes))
                if bytes.isEmpty { watched.removeLast() }
            }
        }
    }
}
