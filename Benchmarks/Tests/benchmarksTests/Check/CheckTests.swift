import Testing

@testable import benchmarks

@Suite struct CheckTests {
    /// An outcome of the case that has a limit of two allocations.
    private func outcome(allocations: Double) -> Outcome {
        var sample = Sample(way: "Pledge")
        sample.rounds = [1]
        sample.allocations = (allocations, 0)
        return Outcome(subject: .createObserveResolve, samples: [sample])
    }

    @Test func anAllocationTooManyIsNamed() async {
        var check = Check()
        check.allocations(of: outcome(allocations: 3), most: 2)
        #expect(check.failures == ["create, observe, resolve: 3 allocations, at most 2"])
    }

    @Test func oneFewerIsWorthANote() {
        var check = Check()
        check.allocations(of: outcome(allocations: 1), most: 2)
        #expect(check.failures.isEmpty && check.held == 1 && check.notes.count == 1)
    }

    @Test func aSlowerTimeIsANoteAndNoFailure() {
        let samples = [("Pledge", 3.0), ("task group", 1.0)].map { way, time in
            var sample = Sample(way: way)
            sample.rounds = [time]
            return sample
        }
        var check = Check()
        check.ratio(
            of: Outcome(subject: .allOf100, samples: samples),
            Limits.Ratio(.allOf100, to: "task group", most: 0.4))
        #expect(check.failures.isEmpty)
        #expect(check.notes.count == 1)
        #expect(check.notes.first?.hasSuffix("of task group, aimed at 0.40") == true)
    }

    @Test func everyLimitIsThatOfACaseAndAWay() {
        for aim in Limits.aims {
            let subject = Case.all.first { $0.name == aim.subject.name }
            #expect(subject?.ways.contains { $0.name == aim.other } == true, "\(aim.other)")
        }
        for limit in Limits.allocations {
            #expect(Case.all.contains { $0.name == limit.subject.name && $0.counted > 0 })
        }
    }
}
