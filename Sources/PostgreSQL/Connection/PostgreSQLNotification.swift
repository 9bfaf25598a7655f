/// What a `NOTIFY` brought.
package struct PostgreSQLNotification: Hashable, Sendable {
    package let channel: String
    package let payload: String
    /// The server's process that sent it; ``PostgreSQLConnection/process`` for our own.
    package let process: Int32
}
