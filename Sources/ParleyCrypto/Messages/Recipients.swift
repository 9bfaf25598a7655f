import ParleyProtocol

/// For whom a message is sealed.
package enum Recipients: Sendable {
    /// The one other device of a direct conversation: the content itself is sealed for it. Not with `group-box`.
    case one(IdentityKey)
    /// A content key is sealed for each, and travels in `recipient_keys`.
    case devices([(DeviceAddress, IdentityKey)])
}

/// The identity keys that are known of the other side of a message, newest first: a device may have changed its keys
/// after it had sent this.
package enum KnownKeys: Sendable {
    /// Of the device that sent it.
    case ofSender([IdentityKey])
    /// Of the devices for which this device itself has sealed it. What two devices share opens it at either end.
    case ofRecipients([DeviceAddress: [IdentityKey]])
}
