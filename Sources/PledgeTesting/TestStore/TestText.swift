internal import Pledge
internal import PledgeStores

/// A ``TestStore``'s messages about failures.
enum TestText {
    /// On one line.
    static func short(_ value: some Any) -> String {
        let text = String(describing: value).split(whereSeparator: \.isNewline)
            .joined(separator: " ")
        return text.count > 100 ? text.prefix(99) + "…" : text
    }

    static func wrongState<State>(
        _ what: String, expected: State, is actual: State
    ) -> String {
        """
        \(what): the state is not as expected (- expected, + is).
        \(difference(expected, actual))
        """
    }

    static func unexpectedChange<State>(
        _ what: String, from old: State, to new: State
    ) -> String {
        """
        \(what): the state has changed, and the test does not say how (- was, + is).
        \(difference(old, new))
        """
    }

    static func wrongEvent<Event>(
        _ what: String, expected: Event, is actual: Event
    ) -> String {
        """
        \(what): another event came (- expected, + is).
        \(difference(expected, actual))
        """
    }

    static func unreceived<Event>(_ events: [Event], before what: String) -> String {
        let count = events.count == 1 ? "1 event was" : "\(events.count) events were"
        return "\(count) not received before \(what):" + list(events)
    }

    static func nothingCame<Event>(
        _ what: String, _ others: [Event], effects count: Int
    ) -> String {
        let effects =
            switch count {
            case 0: "no effect is under way"
            case 1: "1 effect is under way"
            default: "\(count) effects are under way"
            }
        let came = others.isEmpty ? "no event has come" : "no such event has come"
        return "\(what): \(came), and \(effects)" + (others.isEmpty ? "." : ":" + list(others))
    }

    static func unfinished(_ count: Int) -> String {
        if count == 1 {
            return """
                1 effect has not ended. Answer the call that it waits for, or advance its scheduler, and \
                receive its events; or cancel it
                """
        }
        return """
            \(count) effects have not ended. Answer the calls that they wait for, or advance their \
            scheduler, and receive their events; or cancel them
            """
    }

    static func failed(_ error: any Error) -> String {
        "an effect failed, and no event says so: \(error). Use Effect.request"
    }

    private static func list<Event>(_ events: [Event]) -> String {
        events.map { "\n  \(short($0))" }.joined()
    }

    /// The differences by property; both values if no property differs.
    private static func difference<Value>(_ old: Value, _ new: Value) -> String {
        let lines = StateDiff(from: old, to: new).lines
        if !lines.isEmpty { return lines.joined(separator: "\n") }
        return "- \(short(old))\n+ \(short(new))"
    }
}
