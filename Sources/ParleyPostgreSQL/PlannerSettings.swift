/// What a connection says first, so that PostgreSQL finds rows by their keys whatever it believes of the tables.
///
/// A new gateway's tables are empty, and nothing is known of them. Left to itself PostgreSQL then reads whole tables,
/// or joins by hashing them: for each batch. All statements of the store ask by keys that an index has, or for all
/// there is; a test has PostgreSQL plan each.
package enum PlannerSettings {
    package static let statements = [
        // A statement is planned once, and not for each of its values.
        "SET plan_cache_mode TO force_generic_plan",
        // Each is a price that is put on the way, and no ban: what has no index is still read.
        "SET enable_seqscan TO off", "SET enable_hashjoin TO off", "SET enable_mergejoin TO off",
        // A bitmap of some ids would be cut with one of all rows of a partial index, such as all unread notifications.
        "SET enable_bitmapscan TO off",
        // Both take longer to begin than nearly all statements take.
        "SET jit TO off", "SET max_parallel_workers_per_gather TO 0",
    ]

    /// What a connection says again from time to time, and after rows were imported.
    ///
    /// A plan that was made while a table was small goes on being used when the table is large, until statistics are
    /// gathered: with 60,000 members a batch of 64 keys then takes half a second. Planning all statements anew takes 40
    /// milliseconds, and PostgreSQL looks at the sizes of the files when it does. Statements stay prepared.
    package static let renewal = "DISCARD PLANS"
}
