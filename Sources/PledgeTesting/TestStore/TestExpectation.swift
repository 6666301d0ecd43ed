/// The event that a test expects to receive.
struct TestExpectation<Event> {
    /// The test's description of it.
    let what: String
    /// Whether an event is the expected one.
    let matches: (Event) -> Bool
    /// The text for another event.
    let mismatch: (Event) -> String

    init(_ expected: Event) where Event: Equatable {
        let what = "receive(\(TestText.short(expected)))"
        self.what = what
        matches = { $0 == expected }
        mismatch = { TestText.wrongEvent(what, expected: expected, is: $0) }
    }

    init(where matches: @escaping (Event) -> Bool) {
        what = "receive(where:)"
        self.matches = matches
        mismatch = { event in
            "receive(where:): the event that came does not match: \(TestText.short(event))"
        }
    }
}
