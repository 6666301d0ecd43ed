import PledgeFutures

/// A limited number of calls, those that began last, each with its events.
struct RecordedCalls: Sendable {
    let callLimit: Int
    let eventLimit: Int

    private var calls: [UInt64: RecordedCall] = [:]
    /// The numbers of the calls that are kept; once it is full, a ring.
    private var numbers: [UInt64] = []
    /// The index of the oldest in the full ring.
    private var oldest = 0

    init(callLimit: Int, eventLimit: Int) {
        self.callLimit = callLimit
        self.eventLimit = eventLimit
    }

    /// The number of calls in memory.
    var count: Int { calls.count }

    /// The calls, oldest first.
    var all: [RecordedCall] {
        (numbers[oldest...] + numbers[..<oldest]).compactMap { calls[$0] }
    }

    /// The call that began last.
    var last: RecordedCall? {
        let place = oldest == 0 ? numbers.count - 1 : oldest - 1
        return place < 0 ? nil : calls[numbers[place]]
    }

    /// Adds an event.
    ///
    /// A call begins where it is observed. So a later event of a call that was dropped does not add it again,
    /// unless it is observed again further in.
    mutating func add(_ event: RecordedEvent) {
        if calls[event.call] == nil {
            guard case .began = event.kind, event.policy == PolicyEvent.callPolicy else { return }
            addCall(event.call)
        }
        calls[event.call]?.add(event, limit: eventLimit)
    }

    /// Discards all calls; later events of calls under way are ignored.
    mutating func removeAll() {
        calls = [:]
        numbers = []
        oldest = 0
    }

    private mutating func addCall(_ number: UInt64) {
        calls[number] = RecordedCall(number: number)
        guard numbers.count == callLimit else { return numbers.append(number) }
        calls[numbers[oldest]] = nil
        numbers[oldest] = number
        oldest = (oldest + 1) % callLimit
    }
}
