import Futures
import HTTPNetworking

/// A moment, on both clocks that a cache reads.
///
/// Dates are compared with the wall clock, which may be set back; how long a response has been here is
/// told by whichever clock says that it is longer.
struct ClockReading: Hashable, Sendable {
    let date: HTTPDate
    let instant: SchedulerInstant
}
