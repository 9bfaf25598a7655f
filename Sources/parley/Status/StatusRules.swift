import ParleyProtocol

/// What is wrong with a gateway, by what it and its files say.
struct StatusRules {
    let answer: OperatingStatus?
    let files: StatusFiles
    /// Of the tool.
    let ownVersion: String
    let now: Timestamp

    /// Below this writes may soon be refused.
    static let leastFreeBytes = 512 << 20
    /// The log is taken into the database at 32 MiB, unless something holds that back.
    static let mostLogBytes = 512 << 20
    static let mostWaitingPushes = 10_000
    /// What is due to be renewed by hand sooner than this is named.
    static let certificateNotice = Duration.days(14)
    static let tokenNotice = Duration.days(7)
    /// The gateway renews its own devices' tokens a week before their end.
    static let ownTokenNotice = Duration.days(3)
    static let backupAge = Duration.days(2)
    /// The gateway's clock follows a step of the machine's after five minutes.
    static let clockDifference = Duration.seconds(60)

    var sentences: [String] {
        (storage + work + clock + tokens + [version, certificate, backup]).compactMap(\.self)
    }

    private var storage: [String?] {
        let free = answer.map(\.storage.free) ?? files.freeBytes
        let database = answer.map(\.storage.database) ?? files.databaseBytes
        let log = answer.map(\.storage.log) ?? files.logBytes
        var sentences: [String?] = []
        if let free, free < Self.leastFreeBytes {
            sentences.append(
                "there are only \(ByteCount(free)) free where the database lies: make room; when it is full every write is "
                    + "refused")
        } else if let free, let database, free < database {
            sentences.append(
                "there are only \(ByteCount(free)) free beside a database of \(ByteCount(database)): make room for the copy "
                    + "that an upgrade makes")
        }
        if let log, log > Self.mostLogBytes {
            sentences.append(
                "the database's log has grown to \(ByteCount(log)): something has been reading the database for long; end "
                    + "it, or restart parleyd")
        }
        return sentences
    }

    private var work: [String?] {
        guard let work = answer?.work else { return [] }
        return [
            work.areWritesFailing
                ? "the last requests could not be written: parleyd's log says why" : nil,
            Self.isNear(work.unpublished, work.unpublishedLimit)
                ? "\(work.unpublished) events and replies wait for the broker, which is near unpublished_limit: look whether "
                    + "the broker or the disk is slow" : nil,
            Self.isNear(work.waitingReads, work.waitingReadsLimit)
                ? "\(work.waitingReads) reads wait, which is near waiting_reads: somebody asks for more than this machine can "
                    + "answer" : nil,
            work.waitingPushes > Self.mostWaitingPushes
                ? "\(work.waitingPushes) notifications wait: parleyd's log says which push service does not take them"
                : nil,
        ]
    }

    /// Whether three quarters of a limit are taken.
    private static func isNear(_ count: Int, _ limit: Int) -> Bool { limit > 0 && count >= limit - limit / 4 }

    private var clock: [String?] {
        guard let answer else { return [] }
        let difference = answer.serverTime.duration(to: now)
        guard max(difference, .zero - difference) > Self.clockDifference else { return [] }
        return [
            "the gateway's clock and the machine's differ by \(max(difference, .zero - difference).rough): set the machine's "
                + "right; a step is followed after five minutes"
        ]
    }

    private var tokens: [String?] {
        (answer?.credentials ?? []).map { credential in
            let device = credential.device
            let isOwn = device.isWebDoor || device.device.text.hasPrefix(DeviceAddress.operatorConsole.device.text)
            let left = now.duration(to: credential.expiresAt)
            guard left < (isOwn ? Self.ownTokenNotice : Self.tokenNotice) else { return nil }
            let end = left < .zero ? "has ended" : "ends in \(left.rough)"
            return isOwn
                ? "the token of \(device) \(end): parleyd should have renewed it, and its log says why it has not"
                : "the token of \(device) \(end): a new one is made by parley device renew-token \(device.user) "
                    + "\(device.device), or the device is removed by parley device revoke \(device.user) \(device.device)"
        }
    }

    private var version: String? {
        guard let answer, answer.version != ownVersion else { return nil }
        return "parleyd is \(answer.version) and this program is \(ownVersion): restart parleyd if it was upgraded"
    }

    private var certificate: String? {
        guard let certificate = files.certificate, let end = certificate.endsAt else { return nil }
        let left = now.duration(to: end)
        guard left < Self.certificateNotice else { return nil }
        return left < .zero
            ? "the certificate in \(certificate.file) has ended, and devices do not connect: renew it, and reload HAProxy"
            : "the certificate in \(certificate.file) ends in \(left.rough): renew it, and reload HAProxy"
    }

    private var backup: String? {
        guard let last = files.lastBackup, last.duration(to: now) > Self.backupAge else { return nil }
        return "the last backup is \(last.duration(to: now).rough) old: look at systemctl status parley-backup.service"
    }
}
