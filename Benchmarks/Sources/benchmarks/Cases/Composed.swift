import PledgeComposition
import PledgeFutures

extension Case {
    /// The usual case: functions that return futures, and a value for the first one.
    static let composedLoading = Case(
        name: "combine and chain, of futures",
        ways: [
            Way("Pledge") { count in
                let load = hidden(combine(opaque(3), with: chain(doubled, to: loading)))
                call(load, count)
            },
            Way("closure") { count in
                let value = opaque(3)
                let load = hidden({ loading(doubled(value)) })
                call(load, count)
            },
        ]
    )

    /// The usual case, with functions that the compiler can't see into, such as a network passed as a parameter.
    static let composedUnknownLoading = Case(
        name: "combine and chain, of futures, unknown functions",
        ways: [
            Way("Pledge") { count in
                let (first, second) = (hidden(doubled), hidden(loading))
                let load = hidden(combine(opaque(3), with: chain(first, to: second)))
                call(load, count)
            },
            Way("closure") { count in
                let (first, second) = (hidden(doubled), hidden(loading))
                let value = opaque(3)
                let load = hidden({ second(first(value)) })
                call(load, count)
            },
        ]
    )

    /// `combine` alone, with a function that the compiler can't see into.
    static let combinedUnknownLoading = Case(
        name: "combine, of futures, unknown function",
        ways: [
            Way("Pledge") { count in
                let function = hidden(loading)
                let load = hidden(combine(opaque(3), with: function))
                call(load, count)
            },
            Way("closure") { count in
                let function = hidden(loading)
                let value = opaque(3)
                let load = hidden({ function(value) })
                call(load, count)
            },
        ]
    )

    /// `chain` alone, with functions that the compiler can't see into.
    static let chainedUnknownLoading = Case(
        name: "chain, of futures, unknown functions",
        ways: [
            Way("Pledge") { count in
                let (first, second) = (hidden(doubled), hidden(loading))
                let load = hidden(chain(first, to: second))
                call(load, count)
            },
            Way("closure") { count in
                let (first, second) = (hidden(doubled), hidden(loading))
                let load = hidden({ second(first($0)) })
                call(load, count)
            },
        ]
    )

    /// A named function combined with a value, compared with the equivalent closure.
    static let combined = Case(
        name: "combine",
        ways: [
            Way("Pledge") { count in
                let combined = hidden(combine(opaque(3), with: doubled))
                call(combined, count)
            },
            Way("closure") { count in
                let value = opaque(3)
                let closure = hidden({ doubled(value) })
                call(closure, count)
            },
        ]
    )

    /// Two named functions in a chain, compared with the equivalent closure.
    static let chained = Case(
        name: "chain",
        ways: [
            Way("Pledge") { count in
                let chained = hidden(chain(doubled, to: following))
                call(chained, count)
            },
            Way("closure") { count in
                let closure = hidden({ following(doubled($0)) })
                call(closure, count)
            },
        ]
    )

    /// The same as `combined`, with a function that the compiler can't see into.
    static let combinedUnknown = Case(
        name: "combine, unknown function",
        ways: [
            Way("Pledge") { count in
                let function = hidden(doubled)
                let combined = hidden(combine(opaque(3), with: function))
                call(combined, count)
            },
            Way("closure") { count in
                let function = hidden(doubled)
                let value = opaque(3)
                let closure = hidden({ function(value) })
                call(closure, count)
            },
        ]
    )

    /// The same as `chained`, with functions that the compiler can't see into.
    static let chainedUnknown = Case(
        name: "chain, unknown functions",
        ways: [
            Way("Pledge") { count in
                let (first, second) = (hidden(doubled), hidden(following))
                let chained = hidden(chain(first, to: second))
                call(chained, count)
            },
            Way("closure") { count in
                let (first, second) = (hidden(doubled), hidden(following))
                let closure = hidden({ second(first($0)) })
                call(closure, count)
            },
        ]
    )
}

@Sendable @inline(never)
private func doubled(_ value: Int) -> Int { opaque(value) &* 2 }

@Sendable @inline(never)
private func following(_ value: Int) -> Int { opaque(value) &+ 1 }

@Sendable @inline(never)
private func loading(_ value: Int) -> Future<Int> { Future(value: opaque(value)).map { $0 &+ 1 } }

// Both ways use this loop, because the place where the linker puts a loop changes the time of such a short call by a
// tenth.

@inline(never)
private func call(_ function: () -> Int, _ count: Int) {
    for _ in 0..<count { keep(function()) }
}

@inline(never)
private func call(_ function: (Int) -> Int, _ count: Int) {
    for index in 0..<count { keep(function(index)) }
}

@inline(never)
private func call(_ function: () -> Future<Int>, _ count: Int) {
    for _ in 0..<count { keep(function()) }
}

@inline(never)
private func call(_ function: (Int) -> Future<Int>, _ count: Int) {
    for index in 0..<count { keep(function(index)) }
}

// The generic `opaque` would return a function that is called through two thunks. These functions replace it here.

@_optimize(none)
private func hidden(_ function: @escaping @Sendable () -> Int) -> @Sendable () -> Int { function }

@_optimize(none)
private func hidden(
    _ function: @escaping @Sendable () -> Future<Int>
) -> @Sendable () -> Future<Int> { function }

@_optimize(none)
private func hidden(
    _ function: @escaping @Sendable (Int) -> Int
) -> @Sendable (Int) -> Int { function }

@_optimize(none)
private func hidden(
    _ function: @escaping @Sendable (Int) -> Future<Int>
) -> @Sendable (Int) -> Future<Int> { function }
