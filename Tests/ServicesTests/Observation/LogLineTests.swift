import Foundation
import PledgeFutures
import ServicesTestSupport
import Testing

@testable import PledgeServices

@Suite struct LogLineTests {
    @Test func aLogLineHasAllPartsOfItsEvent() {
        #expect(
            PolicyEvent.made(
                .ended(.retryable, latency: .microseconds(10_500), error: Telling()), by: "retry",
                at: 110, call: 7, span: 2, in: 1, attempt: 2
            ).logLine
                == "call=7 span=2 parent=1 attempt=2 at_ms=110 policy=retry event=ended "
                + "outcome=retryable latency_ms=10.5 error=Telling code=denied")
        #expect(
            PolicyEvent.made(.began(name: "load product")).logLine
                == "call=1 span=1 attempt=1 at_ms=0 policy=observed event=began "
                + "name=\"load product\"")
    }

    @Test(
        arguments: [
            ("plain", "plain"), ("", "\"\""), ("two words", "\"two words\""),
            ("a=b", "\"a=b\""), ("say \"x\"", #""say \"x\"""#), (#"a\b"#, #""a\\b""#),
            ("a\nevent=forged", #""a\nevent=forged""#), ("a\u{1B}[31m", #""a\u001b[31m""#),
            ("a\u{2028}b", #""a\u2028b""#), ("\u{202E}abc", #""\u202eabc""#),
            ("tab\t", #""tab\t""#), ("é日👍", "é日👍"), ("a\u{A0}b", "\"a\u{A0}b\""),
        ])
    func aLogLineEscapesItsValues(text: String, written: String) {
        let line = PolicyEvent.made(.note(text), by: "test").logLine
        #expect(line.hasSuffix(" policy=test event=note text=\(written)"))
    }

    /// Parsed by the rule in the documentation, every line has the same content as its event.
    @Test func theLogLineOfEveryKindCanBeReadAgain() throws {
        for kind in PolicyEvent.Kind.every {
            let line = PolicyEvent.made(kind, by: .init(PolicyEvent.Kind.nasty)).logLine
            #expect(!line.unicodeScalars.contains { $0.properties.generalCategory == .control })
            let pairs = try read(line)
            #expect(pairs["policy"] == PolicyEvent.Kind.nasty)
            if case .note(let text) = kind { #expect(pairs["text"] == text) }
            if case .stateChanged(_, let new) = kind { #expect(pairs["to"] == new) }
        }
    }

    private func read(_ line: String) throws -> [String: String] {
        var pairs: [String: String] = [:]
        var rest = line[...]
        while !rest.isEmpty {
            let equals = try #require(rest.firstIndex(of: "="))
            let key = String(rest[..<equals])
            rest = rest[rest.index(after: equals)...]
            var end = rest.startIndex
            if rest.first == "\"" {
                repeat {
                    end = rest.index(after: rest[end] == "\\" ? rest.index(after: end) : end)
                } while rest[end] != "\""
                end = rest.index(after: end)
                let text = try JSONDecoder().decode(
                    [String].self, from: Data("[\(rest[..<end])]".utf8))
                #expect(pairs.updateValue(text[0], forKey: key) == nil)
            } else {
                end = rest.firstIndex(of: " ") ?? rest.endIndex
                #expect(pairs.updateValue(String(rest[..<end]), forKey: key) == nil)
            }
            rest = rest[end...].drop { $0 == " " }
        }
        return pairs
    }

    @Test func aLogLineTellsNoErrorsText() {
        for kind: PolicyEvent.Kind in [
            .ended(.failure, latency: .zero, error: Telling()),
            .retrying(after: .zero, error: Telling()), .fellBack(error: Telling()),
            .refused(ServiceError(.circuitOpen, policy: "b", cause: Telling())),
        ] {
            #expect(!PolicyEvent.made(kind).logLine.contains("s3cret"))
        }
    }

    @Test func onlyEventsThatAreAskedForAreLogged() {
        let lines = Locked<[String]>([])
        let observer = ServiceObserver.logging(where: { $0.policy == "retry" }) { line in
            lines.withLock { $0.append(line) }
        }
        observer.receive(.made(.hit, by: "memoize"))
        observer.receive(.made(.hit, by: "retry"))
        #expect(lines.withLock { $0 } == [PolicyEvent.made(.hit, by: "retry").logLine])
    }
}

@Suite struct EventFactTests {
    func facts(_ error: (any Error)?) -> [String] {
        EventFact.facts(of: error).map { "\($0.key)=\($0.value)" }
    }

    @Test func aLogLineHasAnErrorsTypeAndCode() {
        #expect(facts(nil) == [])
        #expect(facts(Broken(number: 7)) == ["error=Broken"])
        #expect(facts(Telling()) == ["error=Telling", "code=denied"])
        #expect(facts(CancellationError()) == ["error=CancellationError"])
        #expect(
            facts(ServiceError(.timedOut, policy: "p", cause: Telling()))
                == ["error=ServiceError", "code=timedOut"])
        #expect(facts(FutureError(.abandoned)) == ["error=FutureError", "code=abandoned"])
    }

    @Test func everyKindOfEventHasAWordOfItsOwnThatIsAValidLabel() {
        let words = PolicyEvent.Kind.every.map(\.word)
        // Two of the words are those of ends.
        #expect(Set(words).count == words.count - 1)
        for word in words {
            #expect(word.unicodeScalars.allSatisfy { ("a"..."z").contains($0) || $0 == "_" })
        }
    }

    @Test func noKindOfEventSaysAKeyTwice() {
        for kind in PolicyEvent.Kind.every {
            let keys = kind.facts.map(\.key)
            #expect(Set(keys).count == keys.count)
        }
    }

    @Test func theReasonOfAnEventIsOneOfFewValuesOrEmpty() {
        #expect(PolicyEvent.Kind.retryWithheld(reason: "budget").reason == "budget")
        #expect(PolicyEvent.Kind.stateChanged(from: "closed", to: "open").reason == "open")
        let refusal = ServiceError(.bulkheadFull, policy: "b")
        #expect(PolicyEvent.Kind.refused(refusal).reason == "bulkheadFull")
        #expect(PolicyEvent.Kind.note("text").reason == "")
    }
}
