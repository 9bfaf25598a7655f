import TestSupport
import Testing

@testable import ParleyBridge

@Suite("A queue by order of arrival")
struct FifoTests {
    @Test("it is an array whose front is cheap", .seeded, arguments: 0..<10)
    func model(stream: Int) {
        var generator = Seeded(stream: UInt64(stream))
        var (fifo, model) = (Fifo<Int>(), [Int]())
        for step in 0..<6000 {
            // It grows, then shrinks, so that the space is given back on the way.
            switch generator.number(0...(step < 3000 ? 6 : 10)) {
            case 0...3:
                fifo.append(step)
                model.append(step)
            case 4:
                let wanted = generator.number(0...6000)
                let index = model.firstIndex { $0 % 6000 == wanted }
                #expect(fifo.update(where: { $0 % 6000 == wanted }, { $0 += 6000 }) == (index != nil))
                if let index { model[index] += 6000 }
            case 5:
                #expect(fifo.popLast() == model.popLast())
            default:
                #expect(fifo.popFirst() == (model.isEmpty ? nil : model.removeFirst()))
            }
            #expect(fifo.count == model.count && fifo.first == model.first && fifo.isEmpty == model.isEmpty)
        }
        #expect(fifo.removeAll() == model)
        #expect(fifo.isEmpty && fifo.first == nil && fifo.popFirst() == nil)
    }
}
