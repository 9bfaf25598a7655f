import ParleyProtocol
import Testing

@testable import parley

@Suite("Messages from before a device was linked")
struct EarlierMessagesTests {
    @Test(
        "they are counted; changes of them only where there is nothing else",
        arguments: [
            (
                [false],
                "1 earlier message was sent before this device had keys; only devices that had theirs then can open it"
            ),
            ([false, true, false, true], "2 earlier messages were sent before"), ([true], "1 earlier change was sent"),
            ([true, true], "2 earlier changes were sent before"),
        ] as [([Bool], String)])
    func sentence(areChanges: [Bool], sentence: String) {
        var run = EarlierMessages()
        for (index, isChange) in areChanges.enumerated() {
            run.add(isChange: isChange, at: Timestamp(milliseconds: Int64(index)))
        }
        #expect(run.sentence.hasPrefix(sentence))
        #expect(run.newest == Timestamp(milliseconds: Int64(areChanges.count - 1)))
    }
}
