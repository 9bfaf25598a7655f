import MQTTClient
import ParleyProtocol
import ParleyRules
import ParleyStore

extension Intake {
    func carryOut() {
        var writes = desk.drainFound()
        guard !batch.isEmpty || !writes.isEmpty else { return }
        defer { batch.removeAll() }
        let now = readClock()
        ingress.receivedAt = .now
        mergeRates(now: now)
        defer { shareRates() }
        var refusals = Outgoing()
        if backlog.isRefused {
            refusals.refuse(writes, counters: shared.counters)
            writes = []
        }
        var reads: [IncomingQuery] = []
        for message in batch.messages {
            switch ingress.judge(message, in: batch, now: now) {
            case .query(let query):
                shared.counters.requests.add(1)
                reads.append(query)
                writer.lastSeen.record(query.sender, now: now)
            case .command(let command):
                shared.counters.requests.add(1)
                if command.route.isSilent, backlog.isOpen {
                    // Typing that has waited in the broker is out of date.
                    shared.counters.ignored.add(1)
                } else if backlog.isRefused {
                    // Here and not with its turn: the end of the backlog may be in the same batch.
                    refusals.refuse([command], counters: shared.counters)
                } else if command.isForDesk {
                    switch desk.submit(command, now: now) {
                    case .accepted: break
                    case .ready(let command): writes.append(command)
                    case .refused(let rejection):
                        shared.counters.rejected.add(1)
                        shared.counters.recordFailed([command], rejection.code)
                        refusals.reject(command.route, rejection)
                    }
                } else {
                    writes.append(command)
                }
            case .refused(let route, let rejection):
                shared.counters.requests.add(1)
                shared.counters.rejected.add(1)
                shared.counters.recordRefusal(of: route.operation, rejection.code, from: ingress.receivedAt)
                refusals.reject(route, rejection)
            case .presence(let reports):
                writer.duties[PresenceDuty.self]?.handle(reports, now: now)
                writer.duties[InfoDuty.self]?.handle(reports)
                writer.duties[BoardDuty.self]?.clock.handle(reports)
            case .tokenUses(let uses): writer.duties[PreviousTokenDuty.self]?.handle(uses)
            case .counts(let counts): shared.counters.update(from: counts)
            case .sessionRemovals(let ids): sessions.submit(ids)
            case .backlogEnd(let marker): backlog.end(at: marker)
            case .selfRequest: break
            case .ignored: shared.counters.ignored.add(1)
            }
        }
        queue.add(writer.run(PreviousTokenDuty.self, now: now))
        writer.times.begin(at: .now)
        let turns = WriteTurns(writes, writer.times)
        for turn in [turns.first, turns.rest] where !turn.isEmpty {
            // It may have stood still meanwhile.
            noticeLapse()
            if backlog.isRefused {
                refusals.refuse(turn, counters: shared.counters)
            } else {
                add(writer.carryOut(turn, now: now).effects)
            }
        }
        for read in reads {
            for refused in readers.submit(read) {
                shared.counters.recordRefusal(of: refused.route.operation, .unavailable, from: refused.receivedAt)
                refusals.reject(refused.route, .unavailable)
            }
        }
        queue.add(refusals)
    }

    /// Takes in what users have spent at all cells.
    private func mergeRates(now: Timestamp) {
        guard let cells = writer.store.cells else { return }
        ingress.isShared = cells.hasNeighbours
        ingress.merge(rates.drainAll(), now: now)
    }

    /// Tells the other cells what users have spent here.
    private func shareRates() {
        guard let cells = writer.store.cells else { return }
        let spendings = ingress.drainSpendings()
        guard !spendings.isEmpty else { return }
        rates.add(spendings)
        cells.wake()
    }

    func add(_ effects: Effects) {
        queue.add(effects)
        guard let cells = writer.store.cells else { return }
        for indicator in effects.typing { cells.signal(indicator.signal) }
    }
}

extension Outgoing {
    /// Refuses commands of the backlog.
    fileprivate mutating func refuse(_ commands: [IncomingCommand], counters: Counters) {
        counters.rejected.add(commands.count)
        counters.recordFailed(commands, .unavailable)
        for command in commands { reject(command.route, .unavailable) }
    }
}
