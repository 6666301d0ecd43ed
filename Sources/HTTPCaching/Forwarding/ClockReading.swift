import PledgeFutures
import PledgeHTTPNetworking

/// A moment, on both clocks that a cache reads.
///
/// Dates are compared with the wall clock, which may be set back; the age of a stored response is the longer
/// one by the two clocks.
struct ClockReading: Hashable, Sendable {
    let date: HTTPDate
    let instant: SchedulerInstant
}
