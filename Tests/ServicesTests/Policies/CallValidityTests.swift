import PledgeServices
import Testing

@Suite struct CallValidityTests {
    private let one = "one"
    private let other = "other"

    @Test func aCallIsValidUntilItsKeyIsInvalidated() {
        var calls = CallValidity<String>()
        let (first, second) = (calls.start(one), calls.start(other))
        #expect(calls.isValid(first, one) && calls.isValid(second, other))
        calls.invalidate(one)
        #expect(!calls.isValid(first, one) && calls.isValid(second, other))
        let third = calls.start(one)
        #expect(calls.isValid(third, one) && !calls.isValid(first, one))
        calls.invalidateAll()
        #expect(!calls.isValid(third, one) && !calls.isValid(second, other))
        #expect(calls.isValid(calls.start(one), one))
    }

    @Test func keysAreForgottenWithTheirLastCall() {
        var calls = CallValidity<String>()
        _ = (calls.start(one), calls.start(one))
        calls.end(one)
        #expect(calls.count == 1)
        calls.end(one)
        calls.end(one)
        calls.invalidate(other)
        #expect(calls.count == 0)
    }

    @Test func numbersRise() {
        var calls = CallValidity<String>()
        let numbers = [
            calls.start(one), calls.number(), calls.start(other), calls.number(),
        ]
        #expect(numbers == numbers.sorted() && Set(numbers).count == 4)
    }
}
