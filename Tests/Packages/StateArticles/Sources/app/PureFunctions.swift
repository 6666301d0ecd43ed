/// `increaseA` is impure: what comes of it depends on where it is called.
@MainActor
func checkPureFunctions() {
    do {
        // snippet: impure
        var state = 0

        func increaseA() {
            state += 1
        }

        increaseA()

        print(state)  // 结果: 1 (result: 1)
        // end snippet
        check("increaseA", state, is: 1)

        // The article's question marks: the second call has another outcome.
        increaseA()
        check("increaseA is not pure", state == 1, is: false)
    }
    do {
        // snippet: pure
        func increaseB(state: Int) -> Int {
            return state + 1
        }

        let state = increaseB(state: 0)

        print(state)  // 结果: 1 (result: 1)
        // end snippet
        check("increaseB", state, is: 1)
        check("increaseB is pure", increaseB(state: 0) == 1, is: true)
    }
}

/// The unit of state management: a state, its events, and a pure function.
@MainActor
func checkReduce() {
    // snippet: reduce
    typealias State = Int

    enum Event {
        case increase
        case decrease
    }

    func reduce(_ state: State, event: Event) -> State {
        switch event {
        case .increase:
            return state + 1
        case .decrease:
            return state - 1
        }
    }
    // end snippet

    // snippet: reduce-test
    func testReduce() {

        let state1 = reduce(0, event: .increase)
        print(state1 == 1)  // true

        let state2 = reduce(10, event: .decrease)
        print(state2 == 9)  // true
    }
    // end snippet
    testReduce()
}
