import ParleyProtocol
import TestSupport

/// One thing that happens in a random history. What it is about is a number, taken modulo what there is when it
/// happens, so that a history stays one when steps are left out of it.
enum Step: Hashable {
    case send(device: Int, conversation: Int)
    case change(RecordKind, device: Int, message: Int)
    case receipt(ReceiptKind, device: Int, message: Int)
    /// A receipt for what nobody has sent, or in a conversation that the message is not of.
    case strayReceipt(device: Int, message: Int)
    case leave(device: Int)
    case add(device: Int, user: Int)
    case prefer(device: Int, conversation: Int, UInt8)
    case sendsReceipts(device: Int, Bool)
    case block(device: Int, Bool)
    /// A device repeats what it asked at any time before.
    case again(Int)
    /// What was asked since the last time is carried out in one transaction; `order` shuffles what came from different
    /// devices.
    case commit(order: UInt64)
    /// The process ends and another begins: before its last transaction was committed, or after.
    case crash(losesLast: Bool)
    /// A device that has been away for however long asks for what it missed.
    case sync(device: Int, limit: Int)

    static func random(_ generator: inout Seeded) -> Step {
        let (device, other) = (generator.number(0...9), generator.number(0...999))
        switch generator.number(0...99) {
        case 0..<24: return .send(device: device, conversation: other)
        case 24..<32:
            let kinds: [RecordKind] = [.edit, .delete, .reaction]
            return .change(kinds[generator.number(0...2)], device: device, message: other)
        case 32..<56:
            return .receipt(generator.chance(0.5) ? .read : .delivered, device: device, message: other)
        case 56..<58: return .strayReceipt(device: device, message: other)
        case 58..<60: return .leave(device: device)
        case 60..<64: return .add(device: device, user: other)
        case 64..<67: return .prefer(device: device, conversation: other, UInt8(truncatingIfNeeded: generator.next()))
        case 67..<69: return .sendsReceipts(device: device, generator.chance(0.5))
        case 69..<71: return .block(device: device, generator.chance(0.4))
        case 71..<78: return .again(other)
        case 78..<90: return .commit(order: generator.next())
        case 90..<93: return .crash(losesLast: generator.chance(0.5))
        default: return .sync(device: device, limit: [1, 2, 5, 200][generator.number(0...3)])
        }
    }
}

extension Step {
    /// The same about something that came earlier, the first of all before others; and the plainest order.
    var lowered: [Step] {
        switch self {
        case .send(let device, let number): Step.below(number).map { .send(device: device, conversation: $0) }
        case .change(let kind, let device, let number):
            Step.below(number).map { .change(kind, device: device, message: $0) }
        case .receipt(let kind, let device, let number):
            Step.below(number).map { .receipt(kind, device: device, message: $0) }
        case .strayReceipt(let device, let number):
            Step.below(number).map { .strayReceipt(device: device, message: $0) }
        case .add(let device, let number): Step.below(number).map { .add(device: device, user: $0) }
        case .prefer(let device, let number, let choice):
            Step.below(number).map { .prefer(device: device, conversation: $0, choice) }
        case .again(let number): Step.below(number).map(Step.again)
        case .commit(let order): order == 0 ? [] : [.commit(order: 0)]
        case .leave, .sendsReceipts, .block, .crash, .sync: []
        }
    }

    /// Few are enough: what is left of a history has few messages.
    private static func below(_ number: Int) -> [Int] { Array(0..<min(number, 6)) }
}

/// A gateway that does one thing wrong: what the test must see.
enum PlantedFault: CaseIterable {
    /// What is unread is counted up with each message and down by none but reading.
    case countsUp
    /// A watermark goes where the last receipt says, also backwards.
    case goesBackwards
    /// A user's watermarks are those of the device that spoke last.
    case forgetsOtherDevices
    /// What was deleted is unread for ever.
    case countsDeleted
    /// A page of what was missed begins one record late.
    case skipsARecord
}
