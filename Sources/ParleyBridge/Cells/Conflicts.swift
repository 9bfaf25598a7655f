import ParleyStore

/// Runs a transaction of the start, again where a neighbour was in the way, as ``Writer`` does with all others.
///
/// - Parameter body: leaves nothing behind when it fails.
func retryingConflicts<Result>(_ body: () throws -> Result) throws -> Result {
    // Each failure means that somebody else's transaction has succeeded.
    for _ in 1..<20 {
        do { return try body() } catch let error as StoreError where error.mayPassAtOnce(amongNeighbours: true) {}
    }
    return try body()
}
