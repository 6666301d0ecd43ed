import Foundation
import HTTPNetworking
import HTTPTestSupport
import Testing

@testable import HTTPCaching

@Suite struct CacheFlightsTests {
    private let one = CacheKey(URL(string: "https://example.com/1")!)!
    private let other = CacheKey(URL(string: "https://example.com/2")!)!

    @Test func aCallIsValidUntilItsKeyIsInvalidated() {
        var flights = CacheFlights()
        let (first, second) = (flights.begin(one), flights.begin(other))
        #expect(flights.isValid(first, one) && flights.isValid(second, other))
        flights.invalidate(one)
        #expect(!flights.isValid(first, one) && flights.isValid(second, other))
        let third = flights.begin(one)
        #expect(flights.isValid(third, one) && !flights.isValid(first, one))
        flights.invalidateAll()
        #expect(!flights.isValid(third, one) && !flights.isValid(second, other))
        #expect(flights.isValid(flights.begin(one), one))
    }

    @Test func keysAreForgottenWithTheirLastCall() {
        var flights = CacheFlights()
        _ = (flights.begin(one), flights.begin(one))
        flights.end(one)
        #expect(flights.count == 1)
        flights.end(one)
        flights.end(one)
        flights.invalidate(other)
        #expect(flights.count == 0)
    }

    @Test func numbersRise() {
        var flights = CacheFlights()
        let numbers = [
            flights.begin(one), flights.number(), flights.begin(other), flights.number(),
        ]
        #expect(numbers == numbers.sorted() && Set(numbers).count == 4)
    }
}
