import Synchronization

/// The state of a ``CallRecord``, in one word.
struct RecordState: RawRepresentable, AtomicRepresentable {
    /// Bit 0: closed; bit 1: has rivals; bit 2: has a mark; from bit 3 on: the number of unreplayable
    /// requests that may have arrived.
    private(set) var rawValue: UInt64 = 0

    /// The state of a new record.
    init() {}

    init(rawValue: UInt64) { self.rawValue = rawValue }

    /// Whether the attempt is over.
    var isClosed: Bool { rawValue & 1 != 0 }

    /// Whether other attempts are under way beside this one.
    var hasRivals: Bool { rawValue & 2 != 0 }

    var verdict: CallRecord.Verdict {
        if rawValue >> 3 > 0 { return .harmful }
        return rawValue & 4 == 0 ? .nothing : .repeatable
    }

    mutating func close() { rawValue |= 1 }

    mutating func addRivals() { rawValue |= 2 }

    /// Notes that all that is sent is noted.
    mutating func addMark() { rawValue |= 4 }

    mutating func add(isReplayable: Bool) { rawValue = (rawValue | 4) + (isReplayable ? 0 : 8) }

    /// Subtracts an unreplayable request.
    mutating func subtract() { rawValue -= 8 }
}
