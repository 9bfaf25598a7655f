import CMosquittoBroker
import ParleyProtocol

/// The plugin's callbacks with the broker.
@safe struct Registration {
    private let identifier: OpaquePointer

    init(identifier: OpaquePointer) { unsafe self.identifier = identifier }

    /// - Throws: if the broker refuses one of the callbacks; those before it are taken back.
    func register(_ plugin: Plugin) throws(LoadRefusal) {
        let userdata = unsafe Unmanaged.passUnretained(plugin).toOpaque()
        for unsafe(event, callback) in unsafe callbacks {
            let code = unsafe withTopic(of: event) { topic in
                unsafe mosquitto_callback_register(identifier, event, callback, topic, userdata)
            }
            guard code == MOSQ_ERR_SUCCESS.rawValue else {
                unregister()
                throw LoadRefusal("the broker refuses callback \(event) (code \(code))")
            }
        }
    }

    func unregister() {
        for unsafe(event, callback) in unsafe callbacks {
            unsafe withTopic(of: event) { topic in
                _ = unsafe mosquitto_callback_unregister(identifier, event, callback, topic)
            }
        }
    }

    /// A control callback is registered for its topic, others for nothing.
    private func withTopic<Result>(of event: CInt, _ body: (UnsafePointer<CChar>?) -> Result) -> Result {
        event == CInt(MOSQ_EVT_CONTROL.rawValue)
            ? unsafe AudienceChange.topic.withCString(body) : body(nil)
    }
}

private typealias Callback = @convention(c) (CInt, UnsafeMutableRawPointer?, UnsafeMutableRawPointer?) -> CInt

/// Each hands its event to the plugin; an event without data or plugin is refused.
private var callbacks: [(CInt, Callback)] {
    unsafe [
        (CInt(MOSQ_EVT_BASIC_AUTH.rawValue), { unsafe dispatch($1, $2) { unsafe $0.signIn($1) } }),
        (CInt(MOSQ_EVT_ACL_CHECK.rawValue), { unsafe dispatch($1, $2) { unsafe $0.checkAccess($1) } }),
        (CInt(MOSQ_EVT_CONTROL.rawValue), { unsafe dispatch($1, $2) { unsafe $0.control($1) } }),
        (CInt(MOSQ_EVT_DISCONNECT.rawValue), { unsafe dispatch($1, $2) { unsafe $0.disconnected($1) } }),
        (
            CInt(MOSQ_EVT_TICK.rawValue),
            { unsafe dispatch($1, $2) { (plugin: Plugin, _: mosquitto_evt_tick) in plugin.tick() } }
        ),
    ]
}

private func dispatch<Event>(
    _ event: UnsafeMutableRawPointer?, _ userdata: UnsafeMutableRawPointer?, _ body: (Plugin, Event) -> CInt
) -> CInt {
    guard let event = unsafe event, let userdata = unsafe userdata else { return MOSQ_ERR_UNKNOWN.rawValue }
    let plugin = unsafe Unmanaged<Plugin>.fromOpaque(userdata).takeUnretainedValue()
    return body(plugin, unsafe event.assumingMemoryBound(to: Event.self).pointee)
}
