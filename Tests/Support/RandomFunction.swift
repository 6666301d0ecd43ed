/// A random function; two of them rarely commute, so that a law sees their order.
package func randomFunction(using generator: inout SeededGenerator) -> @Sendable (UInt64) -> UInt64
{
    let factor = generator.next()
    let offset = generator.next()
    return { $0 &* factor &+ offset }
}
