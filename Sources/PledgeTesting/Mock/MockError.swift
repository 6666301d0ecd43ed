public import Pledge

/// A mistake that a test makes with a ``MockNetwork``.
public struct MockError: Error, CallerError {
    /// The kinds of error.
    public enum Code: Sendable, Hashable {
        /// The test took a call, but none had arrived.
        case noCall
        /// A call arrived after the test had finished.
        case unexpectedCall
        /// The test finished while calls waited for an answer.
        case unanswered
        /// The test released a call without answering it.
        case abandoned
        /// The test waits for the cancellation of a call that it has already answered.
        case answered
    }

    /// The kind of error.
    public let code: Code

    /// The endpoints of the calls that the error is about.
    ///
    /// With ``Code/noCall``, these are the endpoints of all calls that had arrived before.
    public let endpoints: [Endpoint]

    /// The place in the test that caused the error; nil if there is no single place.
    public let location: TestSourceLocation?

    private let text: String
}

extension MockError: CustomStringConvertible {
    /// What happened, to which call, what to do about it, and the place in the test if it is known.
    public var description: String { location.map { "\(text) (at \($0))" } ?? text }
}

extension MockError {
    init(
        noCallAfter received: [Endpoint], within limit: Duration? = nil, isInVirtualTime: Bool,
        at location: TestSourceLocation
    ) {
        code = .noCall
        self.location = location
        endpoints = received
        let before =
            received.isEmpty
            ? "none had arrived before"
            : "\(received.count) had arrived before, the last was \(received[received.count - 1])"
        let start =
            limit.map { "no call arrived within \($0); \(before)." }
            ?? "no call has arrived; \(before). \(isInVirtualTime ? Self.atPresent : Self.waiting)"
        text =
            switch (limit, isInVirtualTime) {
            case (_, true): "\(start) \(Self.nothingElse)"
            case (nil, _): "\(start) If it comes from another thread: try await network.next()"
            default: "\(start) \(Self.waiting)"
            }
    }

    private static let waiting = """
        If the call waits for time to pass: advance its clock. If time was advanced already, async code before the \
        call may not have run yet: run the test in withVirtualTime, whose `await clock.advance(by:)` waits for it.
        """

    private static let atPresent =
        "If the call waits for time to pass: `await clock.advance(by:)`. If time was advanced already:"

    private static let nothingElse = """
        Everything has run that can run in virtual time. Likely causes: the code makes no call, makes it with another \
        network, or makes it from another thread, such as a Dispatch queue's.
        """

    init(unexpected endpoint: Endpoint) {
        code = .unexpectedCall
        location = nil
        endpoints = [endpoint]
        text = "unexpected call: \(endpoint) arrived after the test said network.finish()"
    }

    init(unanswered calls: [PendingCall], at location: TestSourceLocation) {
        code = .unanswered
        self.location = location
        endpoints = calls.map(\.endpoint)
        let list = calls.map(\.description).joined(separator: "; ")
        text = "\(calls.count) unanswered: \(list). Answer with call.answer(with:)"
    }

    init(abandoned number: Int, _ endpoint: Endpoint) {
        code = .abandoned
        location = nil
        endpoints = [endpoint]
        text = """
            call \(number), \(endpoint), was let go of unanswered; keep what network.next() \
            returns until call.answer(with:)
            """
    }

    init(answered number: Int, _ endpoint: Endpoint) {
        code = .answered
        location = nil
        endpoints = [endpoint]
        text = """
            call \(number), \(endpoint), was answered, so it can't be cancelled any more; await \
            call.cancellation of a call that the test leaves unanswered
            """
    }
}
