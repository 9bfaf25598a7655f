import ParleyProtocol

/// What a gateway's store knows of the other gateways on it, its neighbours.
///
/// Each has a stream of its own. What a transaction may depend on is committed before it, so it is in every snapshot
/// that has the transaction: a reader sees a change of an audience no later than the events that it is to precede.
package protocol Cells: AnyObject, Sendable {
    /// Its number, from 1 on.
    var own: Int { get }

    var name: String { get }

    /// What the last transaction of this process depends on: in each stream, the last position that changes an
    /// audience. Its events are for nobody before these changes are in force.
    var dependencies: StreamVector { get }

    /// The last position of its stream that this process knows to be committed.
    var committed: StreamPosition { get }

    /// The era of the database, as it is stored; `nil` before the first. Until the transaction ends no other cell
    /// begins.
    func lockEra(in transaction: WriteTransaction) throws(StoreError) -> String?

    func setEra(_ era: String, in transaction: WriteTransaction) throws(StoreError)

    /// No other process that runs now writes anything any more: each ends by `.eraEnded`.
    func endOthers(in transaction: WriteTransaction) throws(StoreError)

    /// All cells as a snapshot has them, this one among them.
    func states(in snapshot: Snapshot) throws(StoreError) -> [CellState]

    /// The changes of audiences in a stream behind a position, as they were encoded, in order.
    func audienceChanges(
        in snapshot: Snapshot, after position: StreamPosition
    ) throws(StoreError) -> [(position: StreamPosition, change: [UInt8])]

    /// Removes changes of audiences of this cell's own stream, which all neighbours have in force.
    func removeAudienceChanges(through position: StreamPosition) throws(StoreError)

    /// How far this cell had come in the streams of others when that was last saved.
    func ownMarks(in snapshot: Snapshot) throws(StoreError) -> [CellMark]

    /// Stores how far this cell has come in the streams of others.
    ///
    /// - Parameter tells: whether others wait for it.
    func save(_ marks: [CellMark], tells: Bool) throws(StoreError)

    /// Users who are connected to this cell, as far as that is stored.
    func sessions(in snapshot: Snapshot) throws(StoreError) -> [UserID]

    /// Which of these are connected to a cell, another than this one or any.
    func connected(
        among users: [UserID], elsewhere: Bool, in snapshot: Snapshot
    ) throws(StoreError) -> Set<UserID>

    /// Stores who has come to this cell and who has left it.
    func storeSessions(arrived: [UserID], left: [UserID], in transaction: WriteTransaction) throws(StoreError)

    /// Removes sessions with other cells that are gone.
    ///
    /// - Returns: whose.
    func removeLostSessions(limit: Int, in transaction: WriteTransaction) throws(StoreError) -> [UserID]

    /// The time of the server, by which cells count together: each knows it to within what a question takes, whatever
    /// its own clock says.
    var time: Timestamp { get }

    /// Adds to what users have spent of their rates at all cells.
    ///
    /// - Returns: what all have spent together, less what has come back since then.
    func share(_ spendings: [RateSpending]) throws(StoreError) -> [RateSpending]

    /// Extends this cell's lease by `leaseTime`, from the server's time on.
    @discardableResult
    func extendLease() throws(StoreError) -> LeaseExtension

    /// The steady time with which this cell begins: that of the others, which it is for all cells together, gone on by
    /// the server's clock since one of them has last told it.
    func beginSteadyTime() throws(StoreError) -> Timestamp

    /// Tells the others how far the steady time is here. A time that is told is past, so whoever is behind it has lost
    /// time, and nobody gets ahead by what they hear.
    ///
    /// - Returns: how far it is where it is furthest, as far as that was told.
    func shareSteadyTime(_ steady: Timestamp) throws(StoreError) -> Timestamp

    /// How long others wait for a cell that has said nothing more.
    var leaseTime: Duration { get }

    /// Whether others were live when they were last looked at.
    var hasNeighbours: Bool { get }

    /// Whether there were other cells then, live or not. One whose lease is over may still commit, such as what it had
    /// read before.
    var hasOthers: Bool { get }

    /// Tells the other cells something that is not stored, and of no use a moment later. Safe to call from anywhere.
    func signal(_ signal: CellSignal)

    /// Sends what `signal` was called with. Called by the thread that waits.
    func sendSignals() throws(StoreError)

    /// Waits until another cell has committed or signalled something, `wake` is called, or the time is over.
    ///
    /// - Returns: the signals of others.
    func wait(for time: Duration) throws(StoreError) -> [CellSignal]

    /// Ends a wait. Safe to call from anywhere.
    func wake()
}

/// A cell, as it was when its row was read.
package struct CellState: Hashable, Sendable {
    package let number: Int
    package let name: String
    /// The last committed position of its stream.
    package let position: StreamPosition
    /// The last position of its stream that changes an audience.
    package let audience: StreamPosition
    /// Whether its lease holds.
    package let isLive: Bool
    /// Whether it held within the last ten minutes: the cell may come back, and go on where it was.
    package let wasLiveLately: Bool
    /// How far it has come in this cell's stream, `nil` of this cell itself and of one that has said nothing yet.
    package let mark: CellMark?

    package init(
        number: Int, name: String, position: StreamPosition, audience: StreamPosition, isLive: Bool,
        wasLiveLately: Bool, mark: CellMark?
    ) {
        self.number = number
        self.name = name
        self.position = position
        self.audience = audience
        self.isLive = isLive
        self.wasLiveLately = wasLiveLately
        self.mark = mark
    }
}

/// How far a cell has come in another's stream.
package struct CellMark: Hashable, Sendable {
    /// The other.
    package let writer: Int
    /// Published up to here.
    package var position: StreamPosition
    /// Changes of audiences are in force up to here.
    package var audience: StreamPosition

    package init(writer: Int, position: StreamPosition, audience: StreamPosition) {
        self.writer = writer
        self.position = position
        self.audience = audience
    }
}

/// What the server says when a lease is extended.
package struct LeaseExtension: Hashable, Sendable {
    /// Whether it was over by the server's time, so that others may not have waited for this cell.
    package let wasOver: Bool
    /// Whether it was over for so long that they keep nothing for this cell any more; see `CellState.wasLiveLately`.
    package let wasForgotten: Bool
    package let serverTime: Timestamp

    package init(wasOver: Bool, wasForgotten: Bool, serverTime: Timestamp) {
        (self.wasOver, self.wasForgotten, self.serverTime) = (wasOver, wasForgotten, serverTime)
    }
}
