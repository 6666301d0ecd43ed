/// What the closures of `combine` and `chain` capture so that the compiler writes them anew for the
/// functions they call.
///
/// A closure over functions calls them through their values, also where the compiler sees which
/// functions these are: Swift 6.3 writes the closure anew, with direct calls, if everything that it
/// captures is constant, as with two named functions, but not if a value is among it, as with a
/// function and a value. One constant key path among what it captures is enough. The key path itself
/// is then gone: nothing reads it, and the closure has no room for it. Where nothing is optimised it
/// costs a reference.
///
/// Not stored anywhere: the compiler has to see the key path where the closure is made. The decision
/// combined-functions-cost-what-a-closure-costs has the figures.
@_transparent
@usableFromInline
internal func specialized() -> any KeyPath<Int, Int> & Sendable {
    \Int.self
}
