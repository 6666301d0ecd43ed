import Composition

extension Case {
    /// A function of a function and a value, beside the closure that says the same.
    static let combined = Case(
        name: "combine",
        ways: [
            Way("Pledge") { count in
                let combined = opaque(combine(opaque(3), with: doubled))
                for _ in 0..<count { keep(combined()) }
            },
            Way("closure") { count in
                let value = opaque(3)
                let written: @Sendable () -> Int = { doubled(value) }
                let closure = opaque(written)
                for _ in 0..<count { keep(closure()) }
            },
        ]
    )

    /// A function of two functions, beside the closure that says the same.
    static let chained = Case(
        name: "chain",
        ways: [
            Way("Pledge") { count in
                let chained = opaque(chain(doubled, to: following))
                for index in 0..<count { keep(chained(index)) }
            },
            Way("closure") { count in
                let written: @Sendable (Int) -> Int = { following(doubled($0)) }
                let closure = opaque(written)
                for index in 0..<count { keep(closure(index)) }
            },
        ]
    )
}

@Sendable @inline(never)
private func doubled(_ value: Int) -> Int { opaque(value) &* 2 }

@Sendable @inline(never)
private func following(_ value: Int) -> Int { opaque(value) &+ 1 }
