import PledgeHTTPNetworking
import PledgeServices
import TestSupport
import Testing

/// Invariants of HTTP middleware in every order, side by side and nested, for every behaviour of the server.
@Suite(.oneAtATime) struct HTTPOrderTests {
    /// The results of a part of the scripts.
    private struct Found {
        var pairs: Set<LayerPair> = []
        /// The number of stacks with four or more layers.
        var deep = 0
    }

    /// A failure prints its seed: `OrderScript(seed:)` repeats the run.
    @Test func everyOrderOfTheMiddlewareKeepsTheInvariants() async {
        let count = orderCount()
        let found = await withTaskGroup(of: Found.self) { group in
            let parts = 4
            for part in 0..<parts {
                group.addTask {
                    await onOwnThread { Self.run(stride(from: part, to: count, by: parts)) }
                }
            }
            return await group.reduce(into: Found()) { all, part in
                all.pairs.formUnion(part.pairs)
                all.deep += part.deep
            }
        }
        // Fewer scripts do not contain all pairs.
        guard count >= 1_200 else { return }
        let kinds = OrderedLayer.allCases
        let missing = kinds.flatMap { outer in kinds.map { LayerPair(outer: outer, inner: $0) } }
            .filter { !found.pairs.contains($0) }
        #expect(missing.isEmpty)
        #expect(found.deep * 100 > count * 48)
    }

    private static func run(_ seeds: StrideTo<Int>) -> Found {
        var found = Found()
        for seed in seeds {
            let script = OrderScript(seed: UInt64(seed))
            let faults = script.go()
            #expect(faults.isEmpty, "\(script.name)")
            found.pairs.formUnion(LayerPair.all(of: script.layers))
            found.deep += script.layers.count >= 4 ? 1 : 0
            guard seed % 10 < 1 else { continue }
            let again = OrderScript(seed: UInt64(seed))
            #expect(again.go() == faults, "\(script.name)")
            #expect(script.transcript == again.transcript, "\(script.name)")
        }
        return found
    }
}
