import CMosquittoBroker
import ParleyProtocol

/// The plugin's callbacks with the broker.
@safe struct Registration {
    private let identifier: OpaquePointer

    init(identifier: OpaquePointer) { unsafe self.identifier = identifier }

    /// - Throws: if the broker refuses one of the callbacks; those before it are taken back.
    func register(_ plugin: Plugin) throws(LoadError) {
        let userdata = unsafe Unmanaged.passUnretained(plugin).toOpaque()
        for handler in handlers {
            let code = unsafe handler.withTopic { topic in
                unsafe mosquitto_callback_register(identifier, handler.event, handler.callback, topic, userdata)
            }
            guard code == MOSQ_ERR_SUCCESS.rawValue else {
                unregister()
                throw LoadError("the broker refuses a callback for event \(handler.event) (code \(code))")
            }
        }
    }

    func unregister() {
        for handler in handlers {
            _ = unsafe handler.withTopic { topic in
                unsafe mosquitto_callback_unregister(identifier, handler.event, handler.callback, topic)
            }
        }
    }
}

private typealias Callback = @convention(c) (CInt, UnsafeMutableRawPointer?, UnsafeMutableRawPointer?) -> CInt

@safe private struct Handler {
    let event: CInt
    let callback: Callback

    init(_ event: mosquitto_plugin_event, _ callback: Callback) {
        self.event = CInt(truncatingIfNeeded: event.rawValue)
        unsafe self.callback = callback
    }

    /// Control messages are registered for by their topic, other events by nothing.
    func withTopic<Result>(_ body: (UnsafePointer<CChar>?) -> Result) -> Result {
        event == CInt(truncatingIfNeeded: MOSQ_EVT_CONTROL.rawValue)
            ? unsafe AudienceChange.topic.withCString(body) : body(nil)
    }
}

/// Each hands its event to the plugin; an event without data or plugin is refused.
private var handlers: [Handler] {
    [
        unsafe Handler(MOSQ_EVT_BASIC_AUTH) { unsafe dispatch($1, $2) { unsafe $0.signIn($1) } },
        unsafe Handler(MOSQ_EVT_ACL_CHECK) { unsafe dispatch($1, $2) { unsafe $0.checkAccess($1) } },
        unsafe Handler(MOSQ_EVT_MESSAGE) { unsafe dispatch($1, $2) { unsafe $0.message($1) } },
        unsafe Handler(MOSQ_EVT_CONTROL) { unsafe dispatch($1, $2) { unsafe $0.control($1) } },
        unsafe Handler(MOSQ_EVT_DISCONNECT) { unsafe dispatch($1, $2) { unsafe $0.disconnected($1) } },
        unsafe Handler(MOSQ_EVT_TICK) {
            unsafe dispatch($1, $2) { (plugin: Plugin, _: mosquitto_evt_tick) in plugin.tick() }
        },
    ]
}

private func dispatch<Event>(
    _ event: UnsafeMutableRawPointer?, _ userdata: UnsafeMutableRawPointer?, _ body: (Plugin, Event) -> CInt
) -> CInt {
    guard let event = unsafe event, let userdata = unsafe userdata else { return MOSQ_ERR_UNKNOWN.rawValue }
    let plugin = unsafe Unmanaged<Plugin>.fromOpaque(userdata).takeUnretainedValue()
    return body(plugin, unsafe event.assumingMemoryBound(to: Event.self).pointee)
}
