import MQTTWire
import ParleyProtocol
import Platform
import Synchronization

/// What the thread of the broker and those who play with it share.
final class SharedWorld: Sendable {
    let world: Mutex<World>
    private let orders = Mutex(Orders())
    let wakeUp: WakeUp
    /// Called on the broker's thread for each message that the attacker has read.
    let whenRead: @Sendable (Reading) -> Void

    struct Orders: Sendable {
        var publications: [Publication] = []
        var dropsConnections = false
        var isStopped = false
    }

    init(
        _ world: consuming sending World, whenRead: @escaping @Sendable (Reading) -> Void
    ) throws(SystemError) {
        self.whenRead = whenRead
        wakeUp = try WakeUp()
        self.world = Mutex(world)
    }

    func order(_ body: (inout sending Orders) -> Void) {
        orders.withLock { body(&$0) }
        wakeUp.signal()
    }

    func takeOrders() -> Orders {
        wakeUp.drain()
        return orders.withLock { orders in
            defer {
                orders.publications = []
                orders.dropsConnections = false
            }
            return orders
        }
    }
}

/// The broker: every connection, on one thread.
struct BrokerLoop {
    private let listener: CInt
    private let shared: SharedWorld
    private var connections: [CInt: Connection] = [:]

    init(listener: CInt, _ shared: SharedWorld) {
        self.listener = listener
        self.shared = shared
    }

    /// Runs until it is told to stop, and closes everything.
    mutating func run() {
        var isStopped = false
        while !isStopped {
            var watched = [WatchedDescriptor(listener), WatchedDescriptor(shared.wakeUp.descriptor)]
            watched += connections.values.map { WatchedDescriptor($0.descriptor, write: !$0.output.isEmpty) }
            guard (try? waitForEvents(&watched, timeout: nil)) != nil else { break }
            let ready = watched.filter { $0.isReadable || $0.isWritable }.map(\.descriptor)
            if ready.contains(shared.wakeUp.descriptor) { isStopped = carryOut(shared.takeOrders()) }
            if ready.contains(listener) {
                while let descriptor = Socket.accept(listener) {
                    connections[descriptor] = Connection(descriptor: descriptor)
                }
            }
            for descriptor in ready { serve(descriptor) }
            for descriptor in Array(connections.keys) {
                if connections[descriptor]?.flush() == false { close(descriptor) }
            }
        }
        for descriptor in connections.keys { Socket.close(descriptor) }
        Socket.close(listener)
    }

    /// - Returns: whether the broker is to stop.
    private mutating func carryOut(_ orders: SharedWorld.Orders) -> Bool {
        if orders.dropsConnections { for descriptor in Array(connections.keys) { close(descriptor) } }
        publish(orders.publications)
        return orders.isStopped
    }

    private mutating func close(_ descriptor: CInt) {
        connections[descriptor] = nil
        Socket.close(descriptor)
    }

    private mutating func serve(_ descriptor: CInt) {
        guard connections[descriptor] != nil else { return }
        guard let asked = connections[descriptor]?.read() else { return close(descriptor) }
        for each in asked {
            guard case .up(let device, let operation)? = Topic(each.publish.topic), device == each.device else {
                continue
            }
            let (answer, readings) = shared.world.withLock { world in
                let before = world.readings.count
                let answer = world.answer(operation, each.publish.payload, from: device)
                return (answer, Array(world.readings.dropFirst(before)))
            }
            for reading in readings { shared.whenRead(reading) }
            publish(answer.events)
            if let reply = answer.reply { connections[descriptor]?.reply(reply, to: each.publish) }
        }
    }

    private mutating func publish(_ publications: [Publication]) {
        for publication in publications {
            for descriptor in connections.keys { connections[descriptor]?.publish(publication) }
        }
    }
}
