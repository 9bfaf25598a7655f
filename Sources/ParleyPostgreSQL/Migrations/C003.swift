extension Migration {
    /// Takes away two columns of ``c002`` that no program has ever named in a statement: programs of version 2 go on
    /// beside those of this one.
    static let c003 = Migration(
        version: 3, leastCompatible: 1,
        statements: [
            "ALTER TABLE conversations DROP COLUMN audience_version",
            "ALTER TABLE cells DROP COLUMN address",
        ])
}
