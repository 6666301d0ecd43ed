/// Whether a call may be made again.
enum Repeatability {
    /// It may.
    case proven
    /// Nothing says that it may not.
    case unproven
    /// It may not.
    case refused

    /// Decides for a call after an attempt.
    ///
    /// The value is cast to the protocol, since the static type of the input may be an existential, a
    /// superclass or an optional. The cast takes about 20 ns if the runtime has cached the conformance.
    ///
    /// - Parameters:
    ///   - input: The input of the next call.
    ///   - verdict: The verdict on the attempt.
    ///   - error: The error of the attempt; nil if it is under way, or ended with a value.
    init<Input>(of input: Input, after verdict: CallRecord.Verdict, _ error: (any Error)? = nil) {
        let input = input as? any Replayable
        let unsent = (error as? any OutcomeAdvising)?.isCertainlyUnsent ?? false
        switch verdict {
        case .harmful: self = .refused
        case .repeatable: self = input?.isConsumed == true ? .refused : .proven
        case .nothing where unsent: self = input?.isConsumed == true ? .refused : .proven
        case .nothing:
            let failed: (any Replayable)? = (error as? any HasRequest)?.failedRequest
            self = (failed ?? input).map { $0.isReplayable ? .proven : .refused } ?? .unproven
        }
    }
}
