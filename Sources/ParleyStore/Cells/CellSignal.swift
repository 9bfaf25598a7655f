/// An event that is not stored, for the devices of other cells: a topic and its payload, both UTF-8.
package struct CellSignal: Hashable, Sendable {
    package let topic: String
    package let payload: String

    package init(topic: String, payload: String) { (self.topic, self.payload) = (topic, payload) }
}
