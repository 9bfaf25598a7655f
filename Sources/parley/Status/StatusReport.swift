import ParleyProtocol

/// How a gateway is: what it has answered, and what its files show.
struct StatusReport: Sendable {
    let directory: String
    let answer: OperatingStatus?
    /// Why there is no answer.
    let failure: String?
    let files: StatusFiles
    let now: Timestamp
    /// A sentence for each thing that is wrong, with what to do.
    let wrong: [String]

    /// - Parameter ownVersion: of this tool.
    init(
        directory: String, answer: OperatingStatus?, failure: String?, files: StatusFiles, ownVersion: String,
        now: Timestamp
    ) {
        self.directory = directory
        self.answer = answer
        self.failure = failure
        self.files = files
        self.now = now
        let rules = StatusRules(answer: answer, files: files, ownVersion: ownVersion, now: now)
        wrong = [failure].compactMap(\.self) + rules.sentences
    }

    var status: Status { answer == nil ? .noAnswer : wrong.isEmpty ? .accepted : .rejected }

    // MARK: For people

    func lines(in zone: TimeZone) -> [String] {
        let rows =
            gatewayRows(zone) + fileRows(zone)
            + (wrong.isEmpty ? [("wrong", "nothing")] : wrong.map { ("wrong", $0) })
        return rows.map { $0.0.padded(toColumns: 13) + $0.1.printable }
    }

    private func gatewayRows(_ zone: TimeZone) -> [(String, String)] {
        guard let answer else { return [("gateway", "does not answer, of \(directory)")] }
        let (work, started) = (answer.work, answer.startedAt)
        let versions = [
            answer.version, answer.schema.map { "schema \($0)" }, answer.broker, answer.cell.map { "cell \($0)" },
            "of \(directory)",
        ]
        let connected = [
            answer.connections.map { "\($0) connections" }, answer.connectedUsers.map { "\($0) people" },
        ].compactMap(\.self)
        return [
            ("gateway", versions.compactMap(\.self).joined(separator: ", ")),
            ("up since", "\(zone.civil(started).stamp), \(started.duration(to: answer.serverTime).rough)"),
            (
                "waiting",
                "\(work.unpublished) for the broker, \(work.waitingReads) reads, \(work.waitingPushes) notifications"
            ), ("connected", connected.isEmpty ? "not known yet" : connected.joined(separator: ", ")),
            ("users", "\(answer.users), with \(answer.devices) devices"),
        ] + answer.credentials.map { ("token", "\($0.device) until \(zone.civil($0.expiresAt).stamp)") }
    }

    private func fileRows(_ zone: TimeZone) -> [(String, String)] {
        var rows: [(String, String)] = []
        let (database, log) = (databaseBytes, logBytes)
        if let database {
            rows.append(("database", "\(ByteCount(database))\(log.map { ", its log \(ByteCount($0))" } ?? "")"))
        }
        if let free = freeBytes { rows.append(("free", "\(ByteCount(free)) where it lies")) }
        if let certificate = files.certificate {
            let end = certificate.endsAt.map { "until \(zone.civil($0).stamp)" }
            rows.append(("certificate", "\(certificate.file) \(end ?? "(\(certificate.fault ?? "not known"))")"))
        }
        if let last = files.lastBackup { rows.append(("last backup", zone.civil(last).stamp)) }
        return rows
    }

    private var databaseBytes: Int? { answer.map(\.storage.database) ?? files.databaseBytes }
    private var logBytes: Int? { answer.map(\.storage.log) ?? files.logBytes }
    private var freeBytes: Int? { answer.map(\.storage.free) ?? files.freeBytes }

    // MARK: For programs

    var json: [UInt8] {
        JSONWriter.object { object in
            object.member("data", directory)
            object.member("answers", answer != nil)
            if let answer {
                answer.writeMembers(to: &object)
            } else {
                object.member("database_bytes", files.databaseBytes)
                object.member("log_bytes", files.logBytes)
                object.member("free_bytes", files.freeBytes)
            }
            object.member("certificate_file", files.certificate?.file)
            object.member("certificate_ends_at", files.certificate?.endsAt)
            object.member("last_backup_at", files.lastBackup)
            object.member("wrong", array: wrong) { $0.value($1) }
        }
    }
}

extension Duration {
    /// For people: `3 d 4 h`, `12 min`, `5 s`.
    var rough: String {
        let seconds = max(0, components.seconds)
        let (days, hours, minutes) = (seconds / 86_400, seconds / 3600 % 24, seconds / 60 % 60)
        if days > 0 { return "\(days) d \(hours) h" }
        if hours > 0 { return "\(hours) h \(minutes) min" }
        return minutes > 0 ? "\(minutes) min" : "\(seconds) s"
    }
}
