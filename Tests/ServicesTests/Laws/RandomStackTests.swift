import PledgeFutures
import PledgeServices
import TestSupport
import Testing

/// In every stack, of any policies in any order, each call ends once, calls the service no more often than
/// allowed, and leaves no object behind.
@Suite(.oneAtATime) struct RandomStackTests {
    private static let seeds: Range<UInt64> = 0..<3_600

    /// A failure prints its seed: `RandomStackRun(seed:)` repeats the run.
    @Test func everyCallOfEveryStackEndsOnceAndLeavesNothing() {
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
        #expect(codes == Set(ServiceError.Code.allCases))
        #expect(values > 1_000 && cancelled > 1_000 && extra > 300)
    }

    @Test func aSeedDoesTheSameEachTime() {
        for seed in Self.seeds.prefix(200) {
            let (first, second) = (RandomStackRun(seed: seed), RandomStackRun(seed: seed))
            #expect(first.go() == second.go())
            #expect(first.name == second.name)
            #expect(first.transcript == second.transcript)
            #expect(!first.transcript.isEmpty)
        }
    }
}
