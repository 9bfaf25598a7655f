/// A queue over one array: removing the first element moves an index, and the space is freed now and then.
struct Fifo<Element> {
    private var elements: [Element?] = []
    private var head = 0

    var count: Int { elements.count - head }
    var isEmpty: Bool { head == elements.count }

    mutating func append(_ element: Element) { elements.append(element) }

    var first: Element? { isEmpty ? nil : elements[head] }

    @discardableResult
    mutating func popFirst() -> Element? {
        guard !isEmpty else { return nil }
        let element = elements[head]
        elements[head] = nil
        head += 1
        if head == elements.count {
            elements.removeAll(keepingCapacity: true)
            head = 0
        } else if head >= 1024, head * 2 >= elements.count {
            elements.removeFirst(head)
            head = 0
        }
        return element
    }

    @discardableResult
    mutating func popLast() -> Element? {
        guard !isEmpty, let last = elements.popLast() else { return nil }
        if head == elements.count {
            elements.removeAll(keepingCapacity: true)
            head = 0
        }
        return last
    }

    /// Changes the first element for which `matches` holds; the search begins at the front.
    mutating func update(where matches: (Element) -> Bool, _ change: (inout Element) -> Void) -> Bool {
        for index in head..<elements.count {
            guard var element = elements[index], matches(element) else { continue }
            change(&element)
            elements[index] = element
            return true
        }
        return false
    }

    /// Removes everything, in order.
    mutating func removeAll() -> [Element] {
        defer {
            elements.removeAll(keepingCapacity: true)
            head = 0
        }
        return elements[head...].compactMap { $0 }
    }
}
