import Composition

extension Case {
    /// Composed functions beside the closure that says the same.
    static let combineAndChain = Case(
        name: "combine and chain",
        ways: [
            Way("Pledge") { count in
                let composed = opaque(combine(3, with: chain(doubled, to: following)))
                for _ in 0..<count { keep(composed()) }
            },
            Way("closure") { count in
                let value = opaque(3)
                let first: @Sendable (Int) -> Int = opaque(doubled)
                let second: @Sendable (Int) -> Int = opaque(following)
                let written: @Sendable () -> Int = { second(first(value)) }
                let closure = opaque(written)
                for _ in 0..<count { keep(closure()) }
            },
        ]
    )
}

@Sendable private func doubled(_ value: Int) -> Int { opaque(value) * 2 }

@Sendable private func following(_ value: Int) -> Int { opaque(value) + 1 }
