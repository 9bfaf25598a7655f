import Foundation
import PrivateFiles

/// How fast a database is copied while a gateway works on it.
package enum CopyPace: Sendable {
    case asFastAsPossible
    /// In small steps, each on the disk before the next: the disk owes little at any time, and what the gateway has to
    /// sync does not wait for a whole copy. It rests for as long as it works.
    case besideGateway
}

/// Holds a copy back, one step after the other.
struct CopySteps {
    /// In pages of 4 KiB.
    static let pages: CInt = 256
    private static let longestRest = 0.25

    private let file: OpenFile
    private var begunAt = ContinuousClock.now

    /// - Parameter path: of the copy. Nobody else has it open: its end takes SQLite's locks on it along.
    init(_ path: String) throws(FileError) { file = try OpenFile(path, for: .writing) }

    mutating func finishStep() throws(FileError) {
        try file.synchronize()
        let worked = begunAt.duration(to: .now)
        Thread.sleep(forTimeInterval: min(Self.longestRest, worked / .seconds(1)))
        begunAt = .now
    }
}
