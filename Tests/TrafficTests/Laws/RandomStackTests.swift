import PledgeFutures
import PledgeServices
import TestSupport
import Testing

/// In every stack, of any policies in any order, each call ends once, calls the service no more often than
/// allowed, and leaves no object behind.
@Suite(.oneAtATime) struct RandomStackTests {
    private static let seeds: Range<UInt64> = 0..<3_600

    /// A failure prints its seed: `RandomStackRun(seed:)` repeats the run.
    @Test func everyCallOfEveryRandomStackEndsOnceAndLeavesNothing() {
        var codes: Set<ServiceError.Code> = []
        var (policies, values, cancelled, extra) = (Set<Substring>(), 0, 0, 0)
        for seed in Self.seeds {
            let run = RandomStackRun(seed: seed)
            let faults = run.go()
            #expect(faults.isEmpty, "\(run.name)")
            for layer in run.layers { policies.insert(layer.name.prefix { $0 != "(" }) }
            for result in run.results {
                switch result {
                case .success: values += 1
                case .failure(let error as ServiceError): codes.insert(error.code)
                case .failure(let error): cancelled += error is CancellationError ? 1 : 0
                }
            }
            extra += run.extraCalls
        }
        // Every policy has occurred.
        #expect(policies.count == RandomLayer.Kind.allCases.count)
        #expect(codes.union([.tooManyPages, .superseded]) == Set(ServiceError.Code.allCases))
        #expect(values > 1_000 && cancelled > 1_000 && extra > 300)
    }

    @Test func aRandomStackWithTheSameSeedDoesTheSame() {
        for seed in Self.seeds.prefix(200) {
            let (first, second) = (RandomStackRun(seed: seed), RandomStackRun(seed: seed))
            #expect(first.go() == second.go())
            #expect(first.name == second.name)
            #expect(first.transcript == second.transcript)
            #expect(!first.transcript.isEmpty)
        }
    }
}

/// Every ordered pair of policies, and the guide's whole order, around a service that ends calls in random ways; with callers who
/// cancel, have deadlines, share keys, and are several.
///
/// Each call has one result. Nothing is sent after its deadline, or as somebody else. Places, attempts and budgets hold for what
/// is sent. A refusal beneath ends no work that may still succeed, and opens no breaker. Nobody gets another's answer.
@Suite(.oneAtATime) struct EveryPairTests {
    private static let kinds = RandomLayer.Kind.allCases

    /// A failure prints the seed and the stack: `RandomStackRun(seed:kinds:)` repeats the run.
    @Test func everyOrderedPairOfPoliciesKeepsTheInvariants() {
        let pairs = Self.kinds.count * Self.kinds.count
        var values = 0
        for round in 0..<UInt64((pairRunCount() + pairs - 1) / pairs) {
            for (index, outer) in Self.kinds.enumerated() {
                for (place, inner) in Self.kinds.enumerated() {
                    let seed = (round * 100 + UInt64(index)) * 100 + UInt64(place)
                    let run = RandomStackRun(seed: seed, kinds: [outer, inner])
                    let faults = run.go()
                    #expect(faults.isEmpty, "\(run.name)")
                    values += run.results.count { if case .success = $0 { true } else { false } }
                }
            }
        }
        #expect(values > 1_000)
    }

    @Test func policiesInTheGuidesOrderKeepTheInvariants() {
        for seed in 0..<UInt64(pairRunCount() / 10) {
            // All, or about half of them.
            let kinds = Self.kinds.enumerated()
                .filter { seed % 2 == 0 || (seed >> ($0.offset % 8)) & 1 == 1 }.map(\.element)
            let run = RandomStackRun(seed: seed, kinds: kinds)
            let faults = run.go()
            #expect(faults.isEmpty, "\(run.name)")
        }
    }
}
