import ParleyProtocol
import ParleyRules
import TestNames
import Testing

@Suite("When a device was last seen")
struct DeviceActivityTests {
    private let phone = device("alice", "phone")
    private let laptop = device("alice", "laptop")

    private func due(_ activity: DeviceActivity, limit: Int = 100) -> [DeviceAddress: Timestamp] {
        Dictionary(uniqueKeysWithValues: activity.due(limit: limit).map { ($0.device, $0.seenAt) })
    }

    @Test("a device that goes on asking is written once in a few minutes")
    func writtenOnceInMinutes() {
        var activity = DeviceActivity()
        var writes: [Timestamp] = []
        for second in 0..<3600 {
            activity.record(phone, now: at(Int64(second) * 1000))
            let due = activity.due(limit: 10)
            writes += due.map(\.seenAt)
            activity.recordWritten(due.map(\.device))
        }
        #expect(writes == (0..<12).map { at(0).advanced(by: DeviceActivity.precision * $0) })
    }

    @Test("what is not written stays to be written, and is overdue after a minute")
    func unwrittenIsOverdue() {
        var activity = DeviceActivity()
        #expect(activity.wait(now: at(0)) != .zero)
        activity.record(phone, now: at(0))
        activity.record(laptop, now: at(30_000))
        #expect(due(activity) == [phone: at(0), laptop: at(30_000)])
        #expect(due(activity, limit: 1).count == 1)
        #expect(activity.wait(now: at(59_999)) != .zero && activity.wait(now: at(60_000)) == .zero)
        activity.recordFailure(now: at(60_000))
        #expect(activity.wait(now: at(60_001)) != .zero && due(activity).count == 2)
        activity.recordWritten([phone, laptop])
        #expect(due(activity).isEmpty && activity.wait(now: at(1_000_000)) != .zero)
    }

    @Test("it holds those who have asked lately, and no others")
    func holdsRecentDevicesOnly() {
        var activity = DeviceActivity()
        for round in 0..<10 {
            for number in 0..<100 {
                let device = device("alice", DeviceID(validated: "d\(round)-\(number)"))
                activity.record(device, now: at(0).advanced(by: DeviceActivity.precision * round))
                activity.recordWritten([device])
            }
        }
        #expect(activity.count == 200)
    }

    @Test("whoever gets the name of a device that has ended was never seen")
    func reusedNameWasNeverSeen() {
        var activity = DeviceActivity()
        activity.record(phone, now: at(0))
        activity.forget(phone)
        #expect(due(activity).isEmpty)
        activity.record(phone, now: at(1))
        #expect(due(activity) == [phone: at(1)])
    }

    @Test("a clock that is set back by an hour writes once more")
    func clockSetBackWritesOnce() {
        var activity = DeviceActivity()
        activity.record(phone, now: at(0))
        activity.recordWritten([phone])
        activity.record(phone, now: at(-3_600_000))
        #expect(due(activity) == [phone: at(-3_600_000)])
    }
}
