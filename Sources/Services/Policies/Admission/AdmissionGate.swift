import PledgeFutures

/// What lets calls in: at once, in their turn, or not at all.
protocol AdmissionGate: AnyObject, Sendable {
    /// What an admitted call holds until it ends.
    associatedtype Place: Sendable
    associatedtype Waiter: Sendable

    typealias Turn = InternalPromise<Place>

    /// The kind of policy, in events and errors.
    static var policy: String { get }

    /// The code of a refusal.
    static var refusal: ServiceError.Code { get }

    /// The name in events and errors; nil if it has none.
    var name: String? { get }

    /// The clock of the waits.
    var scheduler: any Scheduler { get }

    /// Lets a call in if a place is free.
    func enterIfFree() -> Place?

    /// Whether a call without a place could wait for one; false spares the making of its turn.
    func mayWait(in context: CallContext) -> Bool

    /// Lets a call in, or queues it.
    ///
    /// - Parameter turn: Resolved with the place when the call's turn has come; rejected if another call displaces
    ///   it.
    func enter(_ turn: Turn, in context: CallContext) -> Admission<Place, Waiter>

    /// Confirms that a call whose turn has come is made.
    ///
    /// - Returns: False if it has left meanwhile: it must not be made.
    func begin(_ ticket: PriorityWaitQueue<Waiter>.Ticket) -> Bool

    /// Serves a call that waits as one of a priority, if that is higher than its own; without effect once its turn
    /// has come.
    func raise(_ ticket: PriorityWaitQueue<Waiter>.Ticket, to priority: CallPriority)

    /// Removes a call from the queue, or frees its place if its turn has come; without effect once it has begun.
    func leave(_ ticket: PriorityWaitQueue<Waiter>.Ticket)
}

/// The admission of a call.
enum Admission<Place, Waiter> {
    /// It is made, and holds a place until it ends.
    case admitted(Place)
    /// It waits, as the last of a number, for at most a time; nil: as long as its caller waits.
    case queued(PriorityWaitQueue<Waiter>.Ticket, length: Int, patience: Duration?)
    /// It is not made.
    case refused
}

extension AdmissionGate {
    /// Nothing, of a gate that serves all calls alike.
    func raise(_ ticket: PriorityWaitQueue<Waiter>.Ticket, to priority: CallPriority) {}

    func report(_ kind: PolicyEvent.Kind, in context: CallContext) {
        context.report(kind, by: Self.policy, named: name)
    }

    func error(
        _ code: ServiceError.Code, of input: some Sendable, limit: Duration? = nil
    ) -> ServiceError {
        ServiceError(
            code, policy: Self.policy, policyName: name, limit: limit,
            subject: loggedName(of: input))
    }
}
