/// What the kernel says of this process, where it does (`proc(5)`).
package enum ProcessStatus {
    /// The memory that is resident.
    package static var residentBytes: Int? {
        // "size resident shared …", in pages.
        guard let file = unsafe fopen("/proc/self/statm", "r") else { return nil }
        defer { unsafe fclose(file) }
        var line = [CChar](repeating: 0, count: 256)
        guard unsafe fgets(&line, Int32(line.count), file) != nil else { return nil }
        let fields = String(decoding: line.prefix { $0 != 0 }.map(UInt8.init(bitPattern:)), as: UTF8.self).split(
            separator: " ")
        return fields.count > 1 ? Int(fields[1]).map { $0 * Int(sysconf(Int32(_SC_PAGESIZE))) } : nil
    }

    /// The number of open descriptors.
    package static var openDescriptors: Int? {
        guard let folder = unsafe opendir("/proc/self/fd") else { return nil }
        defer { unsafe closedir(folder) }
        var count = 0
        while let entry = unsafe readdir(folder) {
            // "." is 0x2E; the others are numbers. The folder itself is one of them.
            if unsafe entry.pointee.d_name.0 != 0x2E { count += 1 }
        }
        return count - 1
    }
}
