import TestSupport
import TestedStores
import Testing

@Suite("Ten devices, whatever comes in whatever order", .seeded, .onEveryStore)
struct InterleavingTests {
    /// What is wrong after these steps; `nil` if nothing is.
    private static func violation(_ steps: [Step], _ fault: PlantedFault? = nil) throws -> String? {
        do {
            try InterleavedRun(fault: fault).run(steps)
            return nil
        } catch let violation as InterleavedRun.ViolationError {
            return violation.what
        }
    }

    private static func steps(stream: Int, count: Int = 150) -> [Step] {
        var generator = Seeded(stream: UInt64(1000 + stream))
        return (0..<count).map { _ in .random(&generator) }
    }

    /// As few of the steps as still go wrong, as delta debugging finds them: first halves and their parts are left out,
    /// then what steps are about is made the first that there is, then two steps at a time are left out, over and over
    /// until nothing changes.
    ///
    /// - Parameter enough: so few that it may end; what is dear is done only above it.
    private static func shrink(_ steps: [Step], _ fault: PlantedFault? = nil, enough: Int = 0) throws -> [Step] {
        var (steps, before) = (steps, [Step]())
        while steps != before {
            before = steps
            try leaveOutParts(of: &steps, fault)
            if steps.count <= enough { return steps }
            try lowerNumbers(in: &steps, fault)
            // What is left out makes other numbers possible, and these let more be left out.
            if steps == before { try leaveOutTwo(of: &steps, fault) }
        }
        return steps
    }

    private static func leaveOutParts(of steps: inout [Step], _ fault: PlantedFault?) throws {
        var size = max(1, steps.count / 2)
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
    }

    /// A step that is about another message than before, because one that was sent earlier is gone, may have kept that
    /// one in place: what is about the first messages depends on no later ones.
    private static func lowerNumbers(in steps: inout [Step], _ fault: PlantedFault?) throws {
        for index in steps.indices {
            for step in steps[index].lowered {
                var lower = steps
                lower[index] = step
                guard try violation(lower, fault) != nil else { continue }
                steps = lower
                break
            }
        }
    }

    /// The first two that can go together, though neither can alone: what one does the other undoes.
    private static func leaveOutTwo(of steps: inout [Step], _ fault: PlantedFault?) throws {
        for later in steps.indices.reversed() {
            for earlier in steps.indices[..<later] {
                var fewer = steps
                fewer.remove(at: later)
                fewer.remove(at: earlier)
                guard try violation(fewer, fault) != nil else { continue }
                steps = fewer
                return
            }
        }
    }

    @Test("unread counts, watermarks and what is brought after being away are what they must be", arguments: 0..<16)
    func invariants(stream: Int) throws {
        // PostgreSQL takes ten times as long for each.
        guard TestedEngine.current?.isRemote == false || stream < 4 else { return }
        let steps = Self.steps(stream: stream)
        guard let what = try Self.violation(steps) else { return }
        let fewest = try Self.shrink(steps)
        Issue.record("\(what) — after \(fewest): \(try Self.violation(fewest) ?? "")")
    }

    @Test("each planted fault is seen, and shrinks to a few steps", .onSQLite(.cost), arguments: PlantedFault.allCases)
    func faults(fault: PlantedFault) throws {
        // Most faults need one or two histories; one in some thousand does not shrink so far.
        for stream in 0..<200 {
            let steps = Self.steps(stream: stream, count: 80)
            guard try Self.violation(steps, fault) != nil else { continue }
            guard try Self.shrink(steps, fault, enough: 19).count >= 20 else { return }
        }
        Issue.record("no history shows \(fault) in a few steps")
    }
}
