import ParleyProtocol

/// Which backups are kept when a new one has been made.
package struct BackupRetention: Hashable, Sendable {
    /// The newest so many are kept.
    let count: Int?
    /// Those that are no older are kept.
    let age: Duration?

    /// - Parameters: `nil` for what keeps none; without either all are kept.
    package init(count: Int?, age: Duration?) { (self.count, self.age) = (count, age) }

    /// The backups that are to go: those that neither bound keeps.
    ///
    /// - Parameter newest: has just been made and is good. It stays, and so does what seems to be made after it.
    package func removable(among names: some Collection<BackupName>, newest: BackupName) -> [BackupName] {
        guard count != nil || age != nil else { return [] }
        let older = Set(names).filter { $0.at < newest.at }.sorted { $0.at > $1.at }
        return older.enumerated().compactMap { index, name in
            if let count, index + 1 < count { return nil }
            if let age, name.at.duration(to: newest.at) <= age { return nil }
            return name
        }
    }
}
