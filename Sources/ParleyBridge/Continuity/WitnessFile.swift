import ParleyRules
import ParleyStore
import PrivateFiles

/// The file beside the database by which a database that was put back is detected: `parley.witness` in the data
/// directory.
///
/// Three lines: a title, the last position of the database, and its allowed names. The file is replaced at each start;
/// the position is overwritten in place while the gateway runs, and is never beyond the database's on disk.
///
/// Where cells share the database, each notes its own stream, and in the place of names the era: see
/// ``SharedContinuity``.
package struct WitnessFile: Sendable {
    private let directory: String
    private static let name = "parley.witness"
    private static let title = "parley.witness 1\n"
    private static let digits = 20
    /// Stands for a database without a name.
    private static let none = "-"

    package init(_ directory: DataDirectory) { self.directory = directory.path }

    package var path: String { "\(directory)/\(WitnessFile.name)" }

    package func read() throws(DataDirectoryError) -> DatabaseLineage.Note {
        do throws(FileError) {
            let bytes = try Files.read(path, maximum: 1024).bytes
            return WitnessFile.parse(bytes).map { .witness($0) } ?? .unreadable
        } catch {
            if error.isMissing { return .missing }
            if error.isTooLarge { return .unreadable }
            throw DataDirectoryError("cannot read \(path): \(error.reason)")
        }
    }

    /// Replaces what the file holds; on disk when it returns.
    package func write(_ witness: DatabaseWitness) throws {
        do throws(FileError) {
            try Files.replace(WitnessFile.name, in: directory, with: WitnessFile.bytes(of: witness))
        } catch {
            if error.isFull { throw StoreError.full }
            throw DataDirectoryError("cannot write \(path): \(error.reason)")
        }
    }

    /// Opens the file to overwrite its position.
    ///
    /// - Parameters:
    ///   - position: what the file holds.
    ///   - pause: from one overwriting to the next, at least.
    package func mark(position: Int, pause: Duration = .seconds(1)) throws(DataDirectoryError) -> WitnessMark {
        do throws(FileError) {
            return WitnessMark(
                file: try PatchedFile(path), offset: WitnessFile.title.utf8.count, position: position, pause: pause)
        } catch {
            throw DataDirectoryError("cannot open \(path): \(error.reason)")
        }
    }

    // MARK: The file's text

    static func bytes(of witness: DatabaseWitness) -> [UInt8] {
        let names = witness.instances.map { $0 ?? none }.sorted().joined(separator: " ")
        return Array(title.utf8) + digits(of: witness.position) + Array("\n\(names)\n".utf8)
    }

    static func digits(of position: Int) -> [UInt8] {
        let text = String(max(0, position))
        return Array((String(repeating: "0", count: max(0, digits - text.utf8.count)) + text).utf8)
    }

    static func parse(_ bytes: [UInt8]) -> DatabaseWitness? {
        let text = String(decoding: bytes, as: UTF8.self)
        guard text.hasPrefix(title), text.hasSuffix("\n") else { return nil }
        let lines = text.dropFirst(title.count).dropLast().split(separator: "\n", omittingEmptySubsequences: false)
        guard lines.count == 2, lines[0].utf8.count == digits, lines[0].utf8.allSatisfy({ 0x30...0x39 ~= $0 }),
            let position = Int(lines[0])
        else { return nil }
        let names = lines[1].split(separator: " ", omittingEmptySubsequences: false).map(String.init)
        guard (1...2).contains(names.count), names.allSatisfy({ !$0.isEmpty }) else { return nil }
        return DatabaseWitness(instances: Set(names.map { $0 == none ? nil : $0 }), position: position)
    }
}

/// Records the position of the database now and then, so that an earlier state of the same run is detected.
package final class WitnessMark: Sendable {
    private let file: PatchedFile
    private let offset: Int
    private let pause: Duration
    private let state: Monitor<State>

    private struct State {
        var position: Int
        var writtenAt: ContinuousClock.Instant?
    }

    init(file: PatchedFile, offset: Int, position: Int, pause: Duration) {
        self.file = file
        self.offset = offset
        self.pause = pause
        state = Monitor(State(position: position))
    }

    /// Records a position that is on disk, after the pause at the earliest. After an error the next one is recorded.
    package func advance(to end: StreamPosition, now: ContinuousClock.Instant = .now) {
        let position = end.number
        let isDue = state.withLock { state in
            guard position > state.position, state.writtenAt.map({ now - $0 >= pause }) ?? true else {
                return false
            }
            state = State(position: position, writtenAt: now)
            return true
        }
        if isDue { try? file.overwrite(WitnessFile.digits(of: position), at: offset) }
    }

    /// Records the position at which the gateway ends.
    package func end(at position: Int) { try? file.overwrite(WitnessFile.digits(of: position), at: offset) }

    /// Records that the database has lost commits: no other process decides otherwise at the next start.
    package func recordLoss() { end(at: CellLineage.lostPosition) }
}
