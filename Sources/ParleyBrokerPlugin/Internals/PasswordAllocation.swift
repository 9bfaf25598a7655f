import CMosquittoBroker
import Glibc
import ParleyProtocol
import ParleyRules

/// The memory in which the broker holds a password: the only sign of bytes that a client has sent behind a zero in it.
///
/// The broker allocates one byte more than it was sent (`packet__read_binary`) and gives the plugin no length. A token of
/// the gateway's fills its allocation to the last byte (`AccessToken.fillsAllocation`), so that anything behind it needs a
/// larger one. glibc may hand out 16 bytes too many, when no smaller piece is free; then it cannot be decided, and the device
/// has to try again. `prepare` sees to it that this is rare: it leaves pieces that fit exactly where glibc looks first.
struct PasswordAllocation {
    /// `false` under an allocator that rounds differently from glibc: then every password counts as whole.
    private let isExact = (0..<32).contains { _ in
        guard let piece = unsafe malloc(16 * 20 + 8) else { return false }
        defer { unsafe free(piece) }
        return unsafe malloc_usable_size(piece) == 16 * 20 + 8
    }
    /// Of the tokens that are expected: those of names of usual lengths, and any other that has come lately.
    private var lengths = Array(stride(from: 263, through: 647, by: 16))
    private var preparedAt: Int64 = 0

    private static let mostLengths = 32
    /// Of each length, for other memory of that size may be needed before the next token comes.
    private static let pieces = 3
    /// In nanoseconds.
    private static let interval: Int64 = 10_000_000

    /// `malloc_usable_size` of the allocation against the length up to the zero.
    func end(of password: UnsafePointer<CChar>?) -> PasswordEnd {
        guard isExact, let password = unsafe password else { return .whole }
        let filled = unsafe strlen(password) + 1
        // The size of glibc's piece for a request of this size: at least 24 bytes, then 16 more at a time.
        let expected = max(24, (filled + 7) / 16 * 16 + 8)
        let usable = unsafe malloc_usable_size(UnsafeMutableRawPointer(mutating: password))
        if usable <= expected { return .whole }
        if usable > expected + 16 { return .cut }
        // A token of an earlier version has room behind it in any case.
        return AccessToken.fillsAllocation(length: filled - 1) ? .uncertain : .whole
    }

    /// Sees to it that the next allocation for a token of this length is exact, if nothing else takes it first.
    mutating func prepare(length: Int) {
        guard isExact, AccessToken.fillsAllocation(length: length), length < AccessToken.maximumLength else { return }
        if !lengths.contains(length) {
            if lengths.count == PasswordAllocation.mostLengths { lengths.removeFirst() }
            lengths.append(length)
        }
        makePieces(length + 1)
    }

    /// The same for the lengths that came last, now and then: other memory of their size may have been needed meanwhile.
    mutating func prepare(uptime: Int64) {
        guard uptime - preparedAt >= PasswordAllocation.interval else { return }
        preparedAt = uptime
        for length in lengths { makePieces(length + 1) }
    }

    /// Takes pieces until enough of them fit exactly, and gives them back: each then stands in the list of its true size, from
    /// which the next request of that size is served.
    private func makePieces(_ size: Int, wanted: Int = pieces, tries: Int = 8) {
        guard wanted > 0, tries > 0, let piece = unsafe malloc(size) else { return }
        defer { unsafe free(piece) }
        let isExact = unsafe malloc_usable_size(piece) == size
        makePieces(size, wanted: isExact ? wanted - 1 : wanted, tries: tries - 1)
    }
}
