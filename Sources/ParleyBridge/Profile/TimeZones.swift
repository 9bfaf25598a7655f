import ParleyProtocol

/// The time zones that this machine knows.
enum TimeZones {
    /// - Throws: `bad_request` for a name that no zone of the IANA database has.
    static func require(_ name: String) throws(Rejection) {
        guard CivilZones.zone(name) != nil else {
            throw Rejection(.badRequest, "time_zone: no zone of the IANA database")
        }
    }
}
