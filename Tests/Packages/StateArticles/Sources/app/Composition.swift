import PledgeArticles

/// Composition, as the article on reducers begins with it.
@MainActor
func checkComposition() {
    var printed: [Int?] = []
    let print = { (value: Int?) in printed.append(value) }
    // snippet: compose
    let increment: @Sendable (Int) -> Int = { value in
        return value + 1
    }
    let multiply: @Sendable (Int) -> Int = { value in
        return value * value
    }

    let result = compose(multiply, and: increment)
    print(result(10))  // 101

    let other = compose(increment, and: multiply)
    print(other(10))  // 121
    // end snippet

    // snippet: lazy
    let array = [4, 7, 12, 13, 15]
    let value: Int? =
        array
        .lazy
        .filter { $0 % 2 == 1 }
        .first(where: { $0 > 10 })
    print(value)  // Optional(13)
    // end snippet
    check("composition", printed, is: [101, 121, 13])
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
