/// The door's access to the gateway for clients without a token.
package struct AccountConfiguration: Sendable {
    /// Reads the file of the door's own device, which the gateway maintains: `devices/web/door/credentials.json` in its
    /// data directory. It may wait for the disk.
    package let readCredentials: @Sendable () -> [UInt8]?
    /// The broker's address for that device; `nil` for the address of all others. A broker on the open network accepts
    /// it by its Unix socket alone.
    package var broker: BrokerAddress?
    /// Whether a client's address is the last entry of `X-Forwarded-For`, written by a proxy before the door. Without
    /// such a proxy a client could name any address.
    package var takesForwardedAddress = false
    /// The most requests without a reply. The gateway refuses at once when too many wait, so this is for a gateway that
    /// hangs.
    package var requestsAtOnce = 512

    package init(_ readCredentials: @escaping @Sendable () -> [UInt8]?) { self.readCredentials = readCredentials }
}
