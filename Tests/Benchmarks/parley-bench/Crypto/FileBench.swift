import GatewaySite
import Foundation
import Platform
import ParleyClient
import ParleyCrypto

/// One attachment, sealed and opened again and again.
struct FileBench {
    let directory: String
    let bytes: Int
    let stop: StopFlag

    private var plain: String { directory + "/plain" }
    private var sealed: String { directory + "/sealed" }
    private var opened: String { directory + "/opened" }

    /// Writes the file that is sealed: one random piece again and again, as making them anew would take longest.
    func makeFile() throws {
        var random = SystemRandomNumberGenerator()
        let piece = Data((0..<1_000_000).map { _ in UInt8.random(in: 0 ... .max, using: &random) })
        guard FileManager.default.createFile(atPath: plain, contents: nil),
            let file = FileHandle(forWritingAtPath: plain)
        else { throw CocoaError(.fileWriteUnknown) }
        defer { try? file.close() }
        for _ in 0..<(bytes / piece.count) { try file.write(contentsOf: piece) }
        try file.synchronize()
    }

    /// Rows of a table: name, MB/s, CPU seconds, and MB of memory: at most, and more than before.
    func measure(runs: Int) throws -> [[String]] {
        var sealing = Repetitions(name: "seal, file to file")
        var opening = Repetitions(name: "open, file to file")
        var sealingAlone = Repetitions(name: "seal, memory to memory")
        var openingAlone = Repetitions(name: "open, memory to memory")
        for _ in 0..<runs {
            var seal: AttachmentSeal?
            try sealing.measure(bytes) {
                seal = try AttachmentFile.seal(plain, to: sealed, progress: check)
            }
            guard let seal else { continue }
            try opening.measure(bytes) {
                try AttachmentFile.open(seal, sealed, to: opened, progress: check)
            }
            guard FileManager.default.contentsEqual(atPath: plain, andPath: opened) else {
                throw CocoaError(.fileReadCorruptFile)
            }
            try measureInMemory(&sealingAlone, &openingAlone)
        }
        return [sealing, opening, sealingAlone, openingAlone].map(\.row)
    }

    /// The cipher alone: 4 MB again and again, from memory to memory.
    private func measureInMemory(_ sealing: inout Repetitions, _ opening: inout Repetitions) throws {
        let content = [UInt8](repeating: 7, count: 4_000_000)
        let rounds = max(1, bytes / content.count)
        var sealed: [UInt8] = []
        sealed.reserveCapacity(content.count + content.count / 1000)
        var seal: AttachmentSeal?
        try sealing.measure(rounds * content.count) {
            for _ in 0..<rounds {
                sealed.removeAll(keepingCapacity: true)
                var position = 0
                seal = try AttachmentCipher.seal(
                    from: { target in Self.give(content, from: &position, to: &target) },
                    to: { bytes in unsafe bytes.withUnsafeBufferPointer { unsafe sealed.append(contentsOf: $0) } },
                    progress: check)
            }
        }
        guard let seal else { return }
        try opening.measure(rounds * content.count) {
            for _ in 0..<rounds {
                var position = 0
                try AttachmentCipher.open(
                    seal, from: { target in Self.give(sealed, from: &position, to: &target) }, to: { _ in },
                    progress: check)
            }
        }
    }

    private func check(_ done: Int) throws {
        if stop.isRaised { throw LoadError.interrupted }
    }

    private static func give(_ bytes: [UInt8], from position: inout Int, to target: inout OutputSpan<UInt8>) {
        let count = min(target.freeCapacity, bytes.count - position)
        unsafe target.withUnsafeMutableBufferPointer { buffer, filled in
            unsafe bytes.withUnsafeBufferPointer { bytes in
                guard let from = bytes.baseAddress, let to = buffer.baseAddress else { return }
                unsafe (to + filled).update(from: from + position, count: count)
            }
            filled += count
        }
        position += count
    }
}

/// The same work, measured a few times.
private struct Repetitions {
    let name: String
    private var megabytesPerSecond: [Double] = []
    private var cpuSeconds: [Double] = []
    private var megabytes: [Double] = []
    private var moreMegabytes: [Double] = []

    init(name: String) { self.name = name }

    mutating func measure(_ bytes: Int, _ work: () throws -> Void) throws {
        ProcessUsage.forgetMostResident()
        let residentBefore = ProcessUsage.residentMegabytes(getpid()).now
        let cpuBefore = ProcessUsage.cpuSeconds(getpid())
        let begun = MonotonicTime.now
        try work()
        megabytesPerSecond.append(Double(bytes) / 1e6 / (Double(MonotonicTime.now - begun) / 1e9))
        cpuSeconds.append(ProcessUsage.cpuSeconds(getpid()) - cpuBefore)
        let residentMost = ProcessUsage.residentMegabytes(getpid()).most
        megabytes.append(residentMost)
        moreMegabytes.append(residentMost - residentBefore)
    }

    var row: [String] {
        [
            name, Spread(megabytesPerSecond).formatted(0), Spread(cpuSeconds).formatted(2),
            Spread(megabytes).formatted(1), Spread(moreMegabytes).formatted(1),
        ]
    }
}
