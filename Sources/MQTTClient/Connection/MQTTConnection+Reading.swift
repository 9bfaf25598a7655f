extension MQTTConnection {
    /// The size of the arena that ends a batch, in bytes.
    private static let batchBytes = 8 << 20

    /// Empties `batch` and fills it with the readable messages, without waiting.
    ///
    /// It also reads acknowledgements of publishes and subscriptions, which count towards `limit`, so that no stream of
    /// them keeps the caller here. The batch may pass the limit by the packets that one call of the library reads, at
    /// most ``unacknowledgedCount``.
    ///
    /// Nothing read is acknowledged until the next ``flush()``, unless the configuration says
    /// ``AcknowledgementPolicy/immediate``.
    ///
    /// - Throws: the reason of the connection's loss, once everything before it was returned.
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
            // Without a callback there was nothing, or half a packet, whose rest will wake `poll`.
            if record.events == before { return .drained }
        } while record.events - firstEvent < limit && record.inbound.bytes.count < Self.batchBytes
        return .unfinished
    }

    /// Moves the acknowledgements of our publishes, in order, to the end of `list`.
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
