import ParleyStore

/// Runs a transaction of the start: again where a neighbour was in the way, as ``Writer`` does with all others, or
/// where the server has ended it, as it does when this process stood still meanwhile.
///
/// - Parameter body: leaves nothing behind when it fails.
func retryingAtStart<Result>(_ body: () throws -> Result) throws -> Result {
    var ended = 0
    for _ in 1..<20 {
        // The next attempt connects anew. Few: a server that is away may let each wait for its whole time.
        do { return try body() } catch StoreError.unavailable where ended < 2 {
            ended += 1
        } catch let error as StoreError where error.mayPassAtOnce(amongNeighbours: true) {
            // Somebody else's transaction has succeeded.
        }
    }
    return try body()
}
