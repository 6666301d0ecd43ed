/// A random function; two of them rarely commute, so a test of a law detects their order.
package func randomFunction(using generator: inout SeededGenerator) -> @Sendable (UInt64) -> UInt64
{
    let factor = generator.next()
    let offset = generator.next()
    return { $0 &* factor &+ offset }
}
