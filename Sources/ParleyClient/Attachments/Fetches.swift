import ParleyCrypto
import ParleyProtocol

/// The files that come. Who asks for one that is under way waits with the others.
///
/// An owner of state (decision 0067): it does no I/O.
final class Fetches {
    struct Key: Hashable {
        let blob: BlobID
        let digest: [UInt8]
    }

    /// One fetch of a file: another of the same file may follow while a cancelled one still ends.
    struct Run: Hashable {
        let key: Key
        let number: Int
    }

    struct Fetch {
        let number: Int
        var done = 0
        var waiting = 0
        var end: Result<Void, FileTransferError>?
        var task: Task<Void, Never>?
    }

    private var fetches: [Key: Fetch] = [:]
    private var begun = 0

    subscript(run: Run) -> Fetch? { fetches[run.key].flatMap { $0.number == run.number ? $0 : nil } }

    /// - Returns: the fetch, and whether the caller is to begin it.
    func join(_ key: Key) -> (run: Run, isFirst: Bool) {
        let isFirst = fetches[key] == nil
        if isFirst {
            begun += 1
            fetches[key] = Fetch(number: begun)
        }
        fetches[key]?.waiting += 1
        return (Run(key: key, number: fetches[key]?.number ?? begun), isFirst)
    }

    /// The last who leaves ends it.
    func leave(_ run: Run) {
        update(run) { $0.waiting -= 1 }
        guard let fetch = self[run], fetch.waiting == 0 else { return }
        fetch.task?.cancel()
        fetches[run.key] = nil
    }

    func begin(_ task: Task<Void, Never>, of run: Run) { update(run) { $0.task = task } }
    func advance(_ run: Run, to done: Int) { update(run) { $0.done = done } }
    func end(_ run: Run, _ result: Result<Void, FileTransferError>) { update(run) { $0.end = result } }

    func close() {
        for fetch in fetches.values { fetch.task?.cancel() }
        fetches = [:]
    }

    /// Changes a fetch, unless it has ended and another has taken its place.
    private func update(_ run: Run, _ change: (inout Fetch) -> Void) {
        guard var fetch = self[run] else { return }
        change(&fetch)
        fetches[run.key] = fetch
    }
}
