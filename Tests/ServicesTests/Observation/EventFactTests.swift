import PledgeFutures
import Testing

@testable import PledgeServices

@Suite struct EventFactTests {
    func facts(_ error: (any Error)?) -> [String] {
        EventFact.facts(of: error).map { "\($0.key)=\($0.value)" }
    }

    @Test func ofAnErrorThereAreTypeAndCode() {
        #expect(facts(nil) == [])
        #expect(facts(Broken(number: 7)) == ["error=Broken"])
        #expect(facts(Telling()) == ["error=Telling", "code=denied"])
        #expect(facts(CancellationError()) == ["error=CancellationError"])
        #expect(
            facts(ServiceError(.timedOut, policy: "p", cause: Telling()))
                == ["error=ServiceError", "code=timedOut"])
        #expect(facts(FutureError(.abandoned)) == ["error=FutureError", "code=abandoned"])
    }

    @Test func everyKindHasAWordOfItsOwnThatIsALabel() {
        let words = PolicyEvent.Kind.every.map(\.word)
        // Two of the words are those of ends.
        #expect(Set(words).count == words.count - 1)
        for word in words {
            #expect(word.unicodeScalars.allSatisfy { ("a"..."z").contains($0) || $0 == "_" })
        }
    }

    @Test func noKindSaysAKeyTwice() {
        for kind in PolicyEvent.Kind.every {
            let keys = kind.facts.map(\.key)
            #expect(Set(keys).count == keys.count)
        }
    }

    @Test func reasonsAreThoseWithFewValues() {
        #expect(PolicyEvent.Kind.retryWithheld(.budget).reason == "budget")
        #expect(PolicyEvent.Kind.stateChanged(from: "closed", to: "open").reason == "open")
        let refusal = ServiceError(.bulkheadFull, policy: "b")
        #expect(PolicyEvent.Kind.refused(refusal).reason == "bulkheadFull")
        #expect(PolicyEvent.Kind.note("text").reason == "")
    }
}
