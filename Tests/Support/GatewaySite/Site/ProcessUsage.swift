import Foundation

/// The CPU time and memory of a process, from `/proc`.
package enum ProcessUsage {
    /// CPU seconds used so far, in user and kernel mode, by all its threads.
    package static func cpuSeconds(_ pid: Int32) -> Double { ticks(pid, 14...15) }

    /// The same of a process with its children, those that have ended too.
    package static func cpuSecondsWithChildren(_ pid: Int32) -> Double {
        let children = contents("/proc/\(pid)/task/\(pid)/children")?.split(separator: " ").compactMap { Int32($0) }
        return ticks(pid, 14...17) + (children ?? []).reduce(0) { $0 + cpuSeconds($1) }
    }

    /// CPU seconds of this process's children that have ended, and of theirs.
    package static func cpuSecondsOfEndedChildren() -> Double { ticks(getpid(), 16...17) }

    /// The sum of some times of proc(5), "/proc/pid/stat", in seconds.
    private static func ticks(_ pid: Int32, _ numbers: ClosedRange<Int>) -> Double {
        // The second field, the name, is in parentheses and may hold anything.
        guard let stat = contents("/proc/\(pid)/stat"), let close = stat.lastIndex(of: ")") else { return 0 }
        let fields = stat[close...].split(separator: " ")
        let values = numbers.compactMap { fields.indices.contains($0 - 2) ? Double(fields[$0 - 2]) : nil }
        return values.reduce(0, +) / Double(sysconf(Int32(_SC_CLK_TCK)))
    }

    /// Resident memory now and at most, in MB of 1,000,000 bytes.
    package static func residentMegabytes(_ pid: Int32) -> (now: Double, most: Double) {
        let status = contents("/proc/\(pid)/status") ?? ""
        func value(_ name: String) -> Double {
            guard let line = status.split(separator: "\n").first(where: { $0.hasPrefix(name + ":") }) else { return 0 }
            let kibibytes = line.split(whereSeparator: { $0 == " " || $0 == "\t" }).dropFirst().first
            return (kibibytes.flatMap { Double($0) } ?? 0) * 1024 / 1_000_000
        }
        return (value("VmRSS"), value("VmHWM"))
    }

    /// Begins anew to count the most memory that this process has resident.
    package static func forgetMostResident() {
        // proc(5), clear_refs: 5 sets VmHWM to VmRSS.
        guard let file = FileHandle(forWritingAtPath: "/proc/self/clear_refs") else { return }
        try? file.write(contentsOf: Data("5".utf8))
        try? file.close()
    }

    package static func contents(_ path: String) -> String? {
        // Files of /proc have no size, so they are read to their end.
        guard let file = FileHandle(forReadingAtPath: path) else { return nil }
        return String(decoding: file.readDataToEndOfFile(), as: UTF8.self)
    }
}
