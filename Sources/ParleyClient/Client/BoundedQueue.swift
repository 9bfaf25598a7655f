final class BoundedQueue<Element> {
    private var waiting: [Element] = []
    private let capacity: Int

    init(capacity: Int) { self.capacity = capacity }

    var isEmpty: Bool { waiting.isEmpty }

    /// - Returns: whether there was room.
    func append(_ element: Element) -> Bool {
        guard waiting.count < capacity else { return false }
        waiting.append(element)
        return true
    }

    func removeFirst() -> Element? { waiting.isEmpty ? nil : waiting.removeFirst() }
}
