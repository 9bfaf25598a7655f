import CMosquittoBroker

/// The version of the plugin interface that this one speaks.
private let interfaceVersion: CInt = 5

/// `mosquitto_plugin_version`: which of the offered interface versions is used; -1 if none fits.
@c(mosquitto_plugin_version)
public func pluginVersion(_ count: CInt, _ offered: UnsafePointer<CInt>?) -> CInt {
    guard let offered = unsafe offered, count > 0 else { return -1 }
    for index in 0..<Int(count) where unsafe offered[index] == interfaceVersion { return interfaceVersion }
    return -1
}

/// `mosquitto_plugin_init`: any return code but success keeps the broker from starting.
@c(mosquitto_plugin_init)
public func pluginInit(
    _ identifier: OpaquePointer?, _ userdata: UnsafeMutablePointer<UnsafeMutableRawPointer?>?,
    _ options: UnsafeMutablePointer<mosquitto_opt>?, _ optionCount: CInt
) -> CInt {
    guard let identifier = unsafe identifier, let userdata = unsafe userdata else { return MOSQ_ERR_INVAL.rawValue }
    let settings = unsafe Settings(options, count: Int(optionCount))
    switch unsafe Plugin.load(settings, identifier: identifier) {
    case .success(let plugin):
        unsafe userdata.pointee = Unmanaged.passRetained(plugin).toOpaque()
        Broker.log(.notice, "parley: waiting for the gateway; until it has come, no device may sign in")
        return MOSQ_ERR_SUCCESS.rawValue
    case .failure(let refusal):
        Broker.log(.error, refusal.sentence)
        return MOSQ_ERR_UNKNOWN.rawValue
    }
}

/// `mosquitto_plugin_cleanup`: the broker is stopping.
@c(mosquitto_plugin_cleanup)
public func pluginCleanup(
    _ userdata: UnsafeMutableRawPointer?, _ options: UnsafeMutablePointer<mosquitto_opt>?, _ optionCount: CInt
) -> CInt {
    guard let userdata = unsafe userdata else { return MOSQ_ERR_SUCCESS.rawValue }
    let plugin = unsafe Unmanaged<Plugin>.fromOpaque(userdata).takeRetainedValue()
    plugin.unregister()
    return MOSQ_ERR_SUCCESS.rawValue
}
