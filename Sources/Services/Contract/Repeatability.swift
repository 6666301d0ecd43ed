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
    /// The conformance is looked for in the value, since the static type of the input may be an existential, a
    /// superclass or an optional. It is a cast, some 20 ns where the answer is cached by the runtime.
    ///
    /// - Parameters:
    ///   - input: What the call would be made with.
    ///   - verdict: What the attempt has done.
    ///   - error: What it ended with; nil where it goes on, or ended with a value.
    init<Input>(of input: Input, after verdict: CallRecord.Verdict, _ error: (any Error)? = nil) {
        let input = input as? any Replayable
        let unsent = (error as? any OutcomeAdvising)?.isCertainlyUnsent ?? false
        switch verdict {
        case .harmful: self = .refused
        case .repeatable: self = input?.isUsedUp == true ? .refused : .proven
        case .nothing where unsent: self = input?.isUsedUp == true ? .refused : .proven
        case .nothing:
            let failed: (any Replayable)? = (error as? any RequestCarrying)?.failedRequest
            self = (failed ?? input).map { $0.isReplayable ? .proven : .refused } ?? .unproven
        }
    }
}
