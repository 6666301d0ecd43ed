import PledgeFutures
import PledgeServices
import ServicesTestSupport
import Testing

@Suite struct ServiceErrorTests {
    @Test func aServiceErrorSaysWhatHappenedAndWhenToCallAgain() {
        let open = ServiceError(
            .circuitOpen, policy: "breaker", retryAt: SchedulerInstant(offset: .seconds(9)),
            retryAfter: .seconds(5))
        #expect(
            "\(open)" == "breaker: refused: the circuit is open, the service failed too often; "
                + "call again in 5.0 seconds")
        #expect(
            "\(ServiceError(.timedOut, policy: "timeout", limit: .seconds(2)))"
                == "timeout: no result within the timeout of 2.0 seconds")
        let late = ServiceError(.deadlineExceeded, policy: "timeout", limit: .milliseconds(903))
        #expect(
            "\(late)"
                == "timeout: no result in the 0.903 seconds before the call's deadline")
    }

    @Test func anErrorShowsTimesToThreeDigits() {
        let error = ServiceError(
            .rateLimited, policy: "rateLimit", retryAfter: .nanoseconds(1_643_842_932))
        #expect("\(error)".hasSuffix("; call again in 1.64 seconds"))
    }

    @Test func everyCodeHasADescriptionOfItsOwn() {
        let texts = ServiceError.Code.allCases.map { "\(ServiceError($0, policy: "p"))" }
        #expect(Set(texts).count == ServiceError.Code.allCases.count)
        #expect(texts.allSatisfy { $0.hasPrefix("p: ") })
    }

    /// The text of an error may contain secrets.
    @Test func anErrorShowsOnlyTheTypeOfItsCause() {
        struct Secret: Error { var token = "swordfish" }
        let error = ServiceError(.injected, policy: "chaos", cause: Secret())
        #expect("\(error)" == "chaos: failed on purpose (Secret)")
    }
}
