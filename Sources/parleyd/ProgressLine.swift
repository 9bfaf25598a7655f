#if POSTGRESQL_STORE
    import Foundation
    import ParleyStore

    /// How far a copy is, on standard error: each second on a terminal, where a line replaces the last one, and every
    /// ten seconds elsewhere.
    final class ProgressLine {
        private let isTerminal = isatty(STDERR_FILENO) == 1
        private let start = ContinuousClock.now
        /// Of this run: an earlier one's are not its speed.
        private var firstRows: Int?
        private var printedAt: ContinuousClock.Instant?
        private var needsEnd = false

        func print(_ state: DatabaseTransfer.State) {
            let now = ContinuousClock.now
            let first = firstRows ?? state.rows
            firstRows = first
            guard now - (printedAt ?? start) >= .seconds(isTerminal ? 1 : 10) else { return }
            printedAt = now
            let seconds = max((now - start) / .seconds(1), 1)
            let rate = Int(Double(state.rows - first) / seconds)
            write(
                "\(state.rows) rows, \(state.tables) of \(state.allTables) tables, now \(state.table), \(rate) rows/s")
        }

        private func write(_ line: String) {
            // "\u{1B}[K" clears what is left of a longer line (ECMA-48, EL).
            let text = isTerminal ? "\r\(line)\u{1B}[K" : line + "\n"
            needsEnd = isTerminal
            FileHandle.standardError.write(Data(text.utf8))
        }

        /// Leaves the line.
        func end() {
            if needsEnd { FileHandle.standardError.write(Data("\n".utf8)) }
        }
    }
#endif
