import Foundation

/// The machine and the software of a measurement.
package struct Machine {
    /// Lines of text.
    package let description: [String]

    package init(scratch: String, toolchain: String?) {
        let system =
            ProcessUsage.contents("/etc/os-release").flatMap { Machine.value("PRETTY_NAME=", in: $0) } ?? "Linux"
        let kernel = ProcessUsage.contents("/proc/sys/kernel/osrelease")?.trimmingCharacters(
            in: .whitespacesAndNewlines)
        let processor = ProcessUsage.contents("/proc/cpuinfo").flatMap { Machine.value("model name", in: $0) }
        let packages = ["mosquitto", "libmosquitto1", "libsqlite3-0"].compactMap(Machine.version)
        description = [
            "\(ProcessInfo.processInfo.activeProcessorCount) cores (\(processor ?? "unknown")), \(system), kernel \(kernel ?? "unknown")",
            (packages + [toolchain].compactMap { $0 }).joined(separator: ", "),
            "fdatasync of 4 KiB: \(Machine.syncMicroseconds(in: scratch).map { "\(Int($0)) µs" } ?? "unknown") (median of 200)",
        ]
    }

    /// The load average of the last minute.
    package static var load: String {
        ProcessUsage.contents("/proc/loadavg")?.split(separator: " ").first.map(String.init) ?? "unknown"
    }

    private static func value(_ name: String, in text: String) -> String? {
        guard let line = text.split(separator: "\n").first(where: { $0.hasPrefix(name) }) else { return nil }
        return line.dropFirst(name.count).trimmingCharacters(in: CharacterSet(charactersIn: "\"\t: "))
    }

    private static func version(ofPackage name: String) -> String? {
        let process = Process()
        let output = Pipe()
        process.executableURL = URL(fileURLWithPath: "/usr/bin/dpkg-query")
        process.arguments = ["-W", "-f", "${Package} ${Version}", name]
        process.standardOutput = output
        process.standardError = FileHandle.nullDevice
        guard (try? process.run()) != nil else { return nil }
        let text = String(decoding: output.fileHandleForReading.readDataToEndOfFile(), as: UTF8.self)
        process.waitUntilExit()
        return text.isEmpty ? nil : text
    }

    /// The cost of one sync on the disk of the databases: the least that a commit takes.
    private static func syncMicroseconds(in scratch: String) -> Double? {
        let path = "\(scratch)/parley-bench-sync.\(getpid())"
        let descriptor = unsafe open(path, O_CREAT | O_WRONLY | O_CLOEXEC, 0o600)
        guard descriptor >= 0 else { return nil }
        defer {
            close(descriptor)
            unsafe unlink(path)
        }
        let block = [UInt8](repeating: 1, count: 4096)
        let times = (0..<200).map { _ in
            _ = unsafe write(descriptor, block, block.count)
            let begun = MonotonicTime.now
            fdatasync(descriptor)
            return Double(MonotonicTime.now - begun) / 1000
        }
        return Spread(times)?.median
    }
}
