import PledgeFutures
import Testing

@Suite struct FutureErrorTests {
    @Test func anAbandonedPromiseIsNamedByItsPlace() {
        var promise: Promise<Int>? = Promise()
        let line = #line - 1
        let future = promise!.map { $0 }
        promise = nil
        let text = future.errorNow.map { "\($0)" } ?? ""
        #expect(text.contains("FuturesTests/FutureErrorTests.swift:\(line)"))
        #expect(text.contains("abandoned"))
    }

    @Test func aResolverIsNamedByThePlaceOfMake() {
        let future = Future<Int>.make { _ in }
        let line = #line - 1
        let text = future.errorNow.map { "\($0)" } ?? ""
        #expect(text.contains("FuturesTests/FutureErrorTests.swift:\(line)"))
    }

    @Test func everyCodeHasATextOfItsOwnThatNamesThePlace() {
        let place = CodeLocation(fileID: "App/File.swift", line: 12)
        let texts = FutureError.Code.allCases.map { FutureError($0, at: place).description }
        #expect(Set(texts).count == texts.count)
        for (code, text) in zip(FutureError.Code.allCases, texts) where code != .cycle {
            #expect(text.contains("App/File.swift:12"), "\(code)")
        }
    }

    @Test func aFailureOfAllNamesEachCause() {
        let error = FutureError(.allFailed, causes: [TestError(number: 1), TestError(number: 2)])
        #expect(error.description.contains("TestError(number: 1)"))
        #expect(error.description.contains("TestError(number: 2)"))
    }

    @Test func aFailedTransformKeepsItsErrorAndNamesItsPlace() {
        let future = Promise(value: 1).map { _ -> Int in throw TestError(number: 9) }
        let line = UInt(#line - 1)
        let further = future.map { $0 + 1 }.flatMap { Future(value: $0) }.always {}
        #expect(further.errorNow as? TestError == TestError(number: 9))
        #expect(further.failureOrigin?.line == line)
        #expect(further.description.contains("FutureErrorTests.swift:\(line)"))
        #expect(further.description.contains("TestError(number: 9)"))
    }

    @Test func theDescriptionOfAFutureTellsItsStateAndValue() {
        let promise = Promise<Int>()
        #expect(promise.description == "Future<Int>(pending)")
        promise.resolve(with: 3)
        #expect(promise.description == "Future<Int>(3)")
        #expect(Future<Int>(error: TestError()).failureOrigin == nil)
    }

    /// The stored properties may change on another thread, and a mirror may be unable to read them.
    @Test func aDumpOfAFutureShowsItsDescriptionAndNothingStored() {
        let promise = Promise<Int>()
        let derived = promise.map { $0 + 1 }.flatMap { Future(value: $0) }
        for future in [promise, derived, Future(error: TestError()), Future(value: 7)] {
            var text = ""
            dump(future, to: &text)
            #expect(text == "- \(future) #0\n")
        }
    }
}
