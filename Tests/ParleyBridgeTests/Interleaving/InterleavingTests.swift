import TestSupport
import Testing

@Suite("Ten devices, whatever comes in whatever order", .seeded)
struct InterleavingTests {
    /// What is wrong after these steps; `nil` if nothing is.
    private static func violation(_ steps: [Step], _ fault: PlantedFault? = nil) throws -> String? {
        do {
            try InterleavedRun(fault: fault).run(steps)
            return nil
        } catch let violation as InterleavedRun.Violation {
            return violation.what
        }
    }

    private static func steps(stream: Int, count: Int = 150) -> [Step] {
        var generator = Seeded(stream: UInt64(1000 + stream))
        return (0..<count).map { _ in .random(&generator) }
    }

    /// As few of the steps as still go wrong.
    private static func shrink(_ steps: [Step], _ fault: PlantedFault? = nil) throws -> [Step] {
        var (steps, size) = (steps, steps.count / 2)
        while size > 0 {
            let count = steps.count
            var start = 0
            while start < steps.count {
                var fewer = steps
                fewer.removeSubrange(start..<min(start + size, steps.count))
                if try violation(fewer, fault) == nil { start += size } else { steps = fewer }
            }
            // At the end until nothing goes any more: some step may have been needed only by one that went.
            if size > 1 || steps.count == count { size /= 2 }
        }
        return steps
    }

    @Test("unread counts, watermarks and what is brought after being away are what they must be", arguments: 0..<16)
    func invariants(stream: Int) throws {
        let steps = Self.steps(stream: stream)
        guard let what = try Self.violation(steps) else { return }
        let fewest = try Self.shrink(steps)
        Issue.record("\(what) — after \(fewest): \(try Self.violation(fewest) ?? "")")
    }

    @Test("each planted fault is seen, and shrinks to a few steps", arguments: PlantedFault.allCases)
    func faults(fault: PlantedFault) throws {
        // The first history that shows it in a few steps ends the search; most faults need one or two. What is left when no
        // single step can be taken out any more is not always as short as it could be.
        var lengths: [Int] = []
        for stream in 0..<200 where lengths.count < 5 && !lengths.contains(where: { $0 < 20 }) {
            let steps = Self.steps(stream: stream, count: 80)
            if try Self.violation(steps, fault) != nil { lengths.append(try Self.shrink(steps, fault).count) }
        }
        #expect(lengths.contains { $0 < 20 }, "\(fault) is shown by histories of \(lengths) steps")
    }
}
