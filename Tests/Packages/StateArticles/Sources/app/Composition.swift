import Pledge

/// Composition, as the article on reducers begins with it.
@MainActor
func checkComposition() {
    // snippet: compose
    let increment: @Sendable (Int) -> Int = { value in
        return value + 1
    }
    let multiply: @Sendable (Int) -> Int = { value in
        return value * value
    }

    let result = compose(multiply, and: increment)
    check("multiply, and increment", result(10), is: 101)

    let other = compose(increment, and: multiply)
    check("increment, and multiply", other(10), is: 121)
    // end snippet

    let array = [4, 7, 12, 13, 15]
    // snippet: lazy
    let value: Int? =
        array
        .lazy
        .filter { $0 % 2 == 1 }
        .first(where: { $0 > 10 })
    // end snippet
    check("lazy composition", value, is: 13)
}

/// The three shapes of a reducer.
@MainActor
func checkReducers() {
    // snippet: shapes
    let classic = Reducer<Int, Int> { state, action in state + action }
    let curried = Reducer<Int, Int> { state in { action in state + action } }
    let mutable = Reducer<Int, Int> { state, action in state += action }
    // end snippet
    for reducer in [classic, curried, mutable] {
        var state = 1
        reducer.reduce(&state, 2)
        check("a reducer in place", state, is: 3)
        check("a classic reducer", reducer.reduce(1, 2), is: 3)
        check("a curried reducer", reducer.reduce(1)(2), is: 3)
    }
}
