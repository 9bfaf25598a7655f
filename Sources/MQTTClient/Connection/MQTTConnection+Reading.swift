extension MQTTConnection {
    /// A batch ends when its arena holds this many bytes.
    private static let batchBytes = 8 << 20

    /// Empties `batch` and fills it with what is readable now, without waiting.
    ///
    /// Acknowledgements of publishes and subscriptions are read along the way and count towards `limit`, so that no
    /// stream of them keeps the caller here. The batch may pass the limit by the packets that one call of the library
    /// reads, at most ``unacknowledgedCount``.
    ///
    /// Until the next ``flush()`` nothing that was read is acknowledged, unless the configuration says
    /// ``AcknowledgementPolicy/immediate``.
    ///
    /// - Throws: why the connection was lost, but only once everything that came before was returned.
    @discardableResult
    package func readBatch(into batch: inout InboundBatch, limit: Int) throws(MQTTError) -> BatchEnd {
        batch.removeAll()
        try requireConnection()
        var end = BatchEnd.drained
        do throws(MQTTError) {
            end = try fill(limit: limit)
            if configuration.acknowledgement == .immediate { try write() }
        } catch {
            let loss = lost(error)
            end = .unfinished
            guard !handle.record.inbound.isEmpty else { throw loss }
        }
        swap(&batch, &handle.record.inbound)
        if configuration.acknowledgement == .held, !batch.isEmpty { holdsAcknowledgements = true }
        return end
    }

    private func fill(limit: Int) throws(MQTTError) -> BatchEnd {
        let record = handle.record
        let acknowledgedBefore = record.acknowledgements.count
        defer { unacknowledgedCount -= record.acknowledgements.count - acknowledgedBefore }
        let firstEvent = record.events
        repeat {
            let before = record.events
            try handle.loopRead()
            try requireSocket()
            // A read that called nobody back found nothing, or half a packet: what comes next wakes `poll`.
            if record.events == before { return .drained }
        } while record.events - firstEvent < limit && record.inbound.bytes.count < Self.batchBytes
        return .unfinished
    }

    /// Moves the acknowledgements of our own publishes, in the order in which they came, to the end of `list`.
    package func drainAcknowledgements(into list: inout [Acknowledgement]) {
        list.append(contentsOf: handle.record.acknowledgements)
        handle.record.acknowledgements.removeAll(keepingCapacity: true)
    }

    /// Moves the answers to subscriptions to the end of `list`.
    package func drainSubscriptionResults(into list: inout [SubscriptionResult]) {
        list.append(contentsOf: handle.record.subscriptionResults)
        handle.record.subscriptionResults.removeAll(keepingCapacity: true)
    }
}
