/// Asks the server to give up the statement that a connection has under way, from any thread.
///
/// It is a request on a connection of its own, without a reply: the statement fails with `SQLState.queryCanceled` or
/// was done before.
package struct PostgreSQLCanceller: Sendable {
    let handle: CancelHandle

    /// Waits until the server has accepted that connection, for which only the system sets a limit.
    ///
    /// - Returns: whether the request was sent.
    package func cancel() -> Bool { handle.cancel() }
}
