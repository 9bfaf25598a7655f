import Foundation

/// What is under way, for whoever waits: on standard error, so that standard output holds the result alone.
func report(_ progress: String) {
    FileHandle.standardError.write(Data("parley-bench: \(progress)\n".utf8))
}
