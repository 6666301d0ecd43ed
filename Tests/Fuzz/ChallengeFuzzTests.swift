import PledgeHTTPMessages
import TestSupport
import Testing

@testable import PledgeHTTPAuthentication

@Suite(.oneAtATime) struct ChallengeFuzzTests {
    private func inputs(_ seed: UInt64) throws -> Mutator {
        Mutator(
            corpus: try corpus(named: "challenges"),
            words: ["Digest ", "Basic", "realm=", "nonce=\"n\"", "qop=\"auth\"", "a==", "\\\""],
            delimiters: ",=\" \\", seed: seed)
    }

    private func challenges(_ values: [String]) -> [AuthenticationChallenge] {
        AuthenticationChallenge.all(
            in: HTTPHeaders(values.map { ("WWW-Authenticate", $0) }))
    }

    /// What was understood and is written in the plainest form is understood as the same.
    @Test func whatIsReadCanBeWrittenAndReadAgain() throws {
        var inputs = try inputs(21)
        var found = 0
        for _ in 0..<fuzzInputCount() {
            let text = String(decoding: inputs.next(), as: UTF8.self)
            for challenge in challenges([text]) where !challenge.isMalformed {
                let parameters = challenge.parameters.map { name, value in
                    let escaped = value.map { #"\""#.contains($0) ? "\\\($0)" : "\($0)" }
                    return "\(name)=\"\(escaped.joined())\""
                }
                let written = "\(challenge.scheme) \(parameters.joined(separator: ", "))"
                #expect(challenges([written]) == [challenge], "\(text.debugDescription)")
                if DigestChallenge(challenge) != nil { found += 1 }
            }
        }
        #expect(found > fuzzInputCount() / 20)
    }

    /// Whatever stands in one line, it hides nothing of another.
    @Test func anotherLineCountsWhateverStandsBeforeIt() throws {
        var inputs = try inputs(22)
        for _ in 0..<fuzzInputCount() {
            let text = String(decoding: inputs.next(), as: UTF8.self)
            let last = challenges([text, #"Digest realm="r", nonce="n""#]).last
            #expect(last?.parameters == ["realm": "r", "nonce": "n"], "\(text.debugDescription)")
        }
    }
}
