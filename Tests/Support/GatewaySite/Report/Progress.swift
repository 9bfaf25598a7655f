import Foundation

/// Reports progress on standard error, so that standard output holds the result alone.
package func report(_ progress: String) {
    FileHandle.standardError.write(Data("\(ProcessInfo.processInfo.processName): \(progress)\n".utf8))
}
