/// How a door asks for people who are not signed in.
package struct AccountConfiguration: Sendable {
    /// Reads the file of the door's own device, which the gateway keeps: `devices/web/door/credentials.json` in its
    /// data directory. It may wait for the disk.
    package let readCredentials: @Sendable () -> [UInt8]?
    /// Where that device connects; `nil` for where all others do. A broker on the open network takes it by its Unix
    /// socket alone.
    package var broker: BrokerAddress?
    /// Whether a client's address is the last entry of `X-Forwarded-For`, which a proxy before the door has written.
    /// Without such a proxy anybody could name any address.
    package var takesForwardedAddress = false
    /// Requests without a reply. The gateway answers at once where too many wait, so that this is for one that hangs.
    package var requestsAtOnce = 512

    package init(_ readCredentials: @escaping @Sendable () -> [UInt8]?) { self.readCredentials = readCredentials }
}
