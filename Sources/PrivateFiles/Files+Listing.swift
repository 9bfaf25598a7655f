import Platform

extension Files {
    /// `opendir`, `readdir`: the names of a directory's entries, in no order, without `.` and `..`.
    package static func names(in directory: String) throws(FileError) -> [String] {
        guard let stream = unsafe opendir(directory) else {
            throw FileError(call: "opendir", path: directory, errno: errno)
        }
        defer { unsafe closedir(stream) }
        var names: [String] = []
        while let entry = unsafe readdir(stream) {
            let name = unsafe withUnsafeBytes(of: &entry.pointee.d_name) { bytes in
                unsafe String(decoding: bytes.prefix { $0 != 0 }, as: UTF8.self)
            }
            if name != ".", name != ".." { names.append(name) }
        }
        return names
    }
}
