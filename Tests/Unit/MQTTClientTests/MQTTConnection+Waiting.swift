import MQTTClient
import Platform

struct NothingCameError: Error {}

extension MQTTConnection {
    /// Flushes, waits until something can be read, or more written, and reads.
    func next(into batch: inout InboundBatch, limit: Int = 1000, flushing: Bool = true) throws {
        if flushing { try flush() }
        if fileDescriptor >= 0 {
            var watched = [WatchedDescriptor(fileDescriptor, write: flushing && wantsWrite)]
            guard try waitForEvents(&watched, timeout: .seconds(10)) > 0 else { throw NothingCameError() }
        }
        try readBatch(into: &batch, limit: limit)
    }

    /// Reads until `count` messages have come, and gives their payloads as text.
    func payloads(_ count: Int, limit: Int = 1000, flushing: Bool = true) throws -> [String] {
        var batch = InboundBatch()
        var result: [String] = []
        while result.count < count {
            try next(into: &batch, limit: limit, flushing: flushing)
            result += batch.messages.map { batch.text($0.payload) }
        }
        return result
    }

    /// Reads until `count` publishes have been acknowledged.
    func acknowledgements(_ count: Int) throws -> [Acknowledgement] {
        var batch = InboundBatch()
        var result: [Acknowledgement] = []
        while result.count < count {
            try next(into: &batch)
            drainAcknowledgements(into: &result)
        }
        return result
    }

    /// Subscribes and waits for the broker's answer.
    @discardableResult
    func subscribed(
        to filter: String, qos: QoS = .atLeastOnce, noLocal: Bool = false,
        retainHandling: RetainHandling = .always
    ) throws -> ReasonCode {
        let packet = try subscribe(to: filter, qos: qos, noLocal: noLocal, retainHandling: retainHandling)
        var batch = InboundBatch()
        var results: [SubscriptionResult] = []
        while true {
            try next(into: &batch)
            drainSubscriptionResults(into: &results)
            if let result = results.first(where: { $0.packet == packet }) { return result.reason }
        }
    }

    /// Publishes the numbers below `count` as texts, and waits for their acknowledgements.
    func publishNumbers(_ count: Int, to topic: String = "a") throws {
        for number in 0..<count { try publish(topic: topic, payload: Array("\(number)".utf8)) }
        _ = try acknowledgements(count)
    }

    /// Publishes at QoS 1 and waits for the acknowledgement.
    @discardableResult
    func published(topic: String, payload: String, isRetained: Bool = false) throws -> ReasonCode? {
        try publish(topic: topic, payload: Array(payload.utf8), isRetained: isRetained)
        return try acknowledgements(1).first?.reason
    }
}

extension InboundBatch {
    func text(_ range: Range<Int>) -> String { String(decoding: bytes[range], as: UTF8.self) }
    func text(_ range: Range<Int>?) -> String? { range.map { text($0) } }
}
