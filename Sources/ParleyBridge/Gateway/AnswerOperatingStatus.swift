import ParleyProtocol
import ParleyStore

extension GetOperatingStatus: QueryHandler {
    func answer(in context: QueryContext) throws -> WrittenAnswer {
        let (reader, snapshot) = (context.reader, context.snapshot)
        let (source, facts) = (reader.operating, reader.counters.operating)
        let (users, devices) =
            try source?.counts(in: snapshot) ?? (try snapshot.sizes.people(), try snapshot.sizes.devices())
        let ends = try snapshot.devices.tokenEnds(of: [
            DeviceAddress.operatorConsole.user, DeviceAddress.webDoor.user,
        ])
        let work = OperatingWork(
            unpublished: source?.unpublished ?? 0, unpublishedLimit: reader.settings.unpublishedLimit,
            waitingReads: facts.waitingReads.current, waitingReadsLimit: reader.settings.waitingReads,
            waitingPushes: try reader.pushes.read(beside: snapshot) { try $0.jobs.counts().values.reduce(0, +) },
            areWritesFailing: source?.areWritesFailing ?? false)
        let status = OperatingStatus(
            version: parleyVersion, schema: try snapshot.schema(), broker: facts.brokerVersion,
            cell: reader.store.cells?.name, startedAt: source?.startedAt ?? context.now, serverTime: context.now,
            work: work, connections: facts.connections, connectedUsers: reader.people.connectedCount,
            users: users, devices: devices,
            storage: source?.storage ?? OperatingStorage(database: nil, log: nil, pushes: nil, free: nil),
            credentials: ends.map { OperatingCredential(device: $0.device, expiresAt: $0.expiresAt) })
        return status.write
    }
}
