import PledgeFutures
import PledgeServices
import ServicesTestSupport
import Testing

@Suite struct ClassifierTests {
    func outcome(of error: any Error) -> Outcome { Classifier<Int>.standard(.failure(error)) }

    @Test func theStandardClassifierJudgesEachOutcome() {
        #expect(Classifier<Int>.standard(.success(1)) == .success)
        #expect(outcome(of: CancellationError()) == .ignorable)
        #expect(outcome(of: Broken()) == .retryable(after: nil))
        for code in FutureError.Code.allCases {
            let isMistake = [.abandoned, .cycle, .noInputs].contains(code)
            #expect(outcome(of: FutureError(code)) == (isMistake ? .failure : .retryable))
        }
    }

    @Test func anAbandonedPromiseIsAFailure() {
        let future = Promise<Int>().map { $0 }
        #expect(future.result.map { Classifier<Int>.standard($0) } == .failure)
    }

    @Test func theStandardClassifierTellsRefusalsFromRetryableServiceErrors() {
        let refusals: Set<ServiceError.Code> = [
            .circuitOpen, .bulkheadFull, .concurrencyLimited, .queueTimedOut, .rateLimited,
            .heldBack, .throttled, .shed, .keysFull, .storeFailed,
        ]
        for code in ServiceError.Code.allCases {
            let error = ServiceError(code, policy: "test")
            #expect(error.isRefusal == refusals.contains(code))
            let others: [ServiceError.Code: Outcome] = [
                .deadlineExceeded: .outOfTime, .tooManyPages: .callersMistake,
                .superseded: .ignorable,
            ]
            let expected = refusals.contains(code) ? .refusal : others[code] ?? .retryable
            #expect(outcome(of: error) == expected)
            #expect(error.isCertainlyUnsent == (error.isRefusal || code == .superseded))
        }
    }

    @Test(arguments: [.success, .retryable(after: .seconds(3)), .failure, .ignorable] as [Outcome])
    func anErrorsAdviceIsFollowed(advice: Outcome) {
        #expect(outcome(of: Advised(advisedOutcome: advice)) == advice)
    }

    struct Page: OutcomeAdvising, Sendable {
        var advisedOutcome: Outcome
    }

    @Test func anOutputsAdviceIsFollowed() {
        let busy = Page(advisedOutcome: .retryable(after: .seconds(3)))
        #expect(Classifier<Page>.standard(.success(busy)) == .retryable(after: .seconds(3)))
        #expect(Classifier<Page>.standard(.failure(Broken())) == .retryable)
    }

    @Test func aClassifierCanBeReplacedAndBuiltUpon() {
        let classifier = Classifier<Int> { result in
            if case .success(0) = result { return .failure }
            return Classifier.standard(result)
        }
        #expect(classifier(.success(0)) == .failure)
        #expect(classifier(.success(1)) == .success)
        #expect(classifier(.failure(CancellationError())) == .ignorable)
    }

    @Test func eachOutcomeSaysWhetherItIsAFailure() {
        #expect(Outcome.failure.isFailure)
        #expect(Outcome.retryable(after: .seconds(1)).isFailure)
        #expect(!Outcome.success.isFailure)
        #expect(!Outcome.ignorable.isFailure)
        #expect(Outcome.rejection.isFailure)
        #expect(Outcome.refusal.isFailure)
    }
}
