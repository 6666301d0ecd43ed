import Foundation
import PledgeHTTPNetworking
import TestSupport
import Testing

@testable import PledgeHTTPNetworking

@Suite(.oneAtATime) struct KnownSecretsTests {
    private func secrets(_ values: String...) -> KnownSecrets {
        var secrets = KnownSecrets()
        for value in values { secrets.add(value) }
        return secrets
    }

    @Test(arguments: [
        ("bad p4ss!", "bad …!"), ("P4SS and p4ssp4ss", "… and …"), ("p%34ss", "…"),
        ("p%2534ss", "…"), (#"p\u0034ss"#, "…"), ("p&#52;ss", "…"), ("p%255Cu0034ss", "…"),
        ("p4s", "p4s"), ("", ""), ("ép4ssé", "é…é"),
    ])
    func aValueIsFoundHoweverItIsSpelled(text: String, shown: String) {
        #expect(secrets("p4ss").scrubbed(text) == shown)
    }

    @Test func aSecretThatIsEncodedIsFoundDecoded() {
        #expect(secrets("a%20b%26c").scrubbed("it was a b&c") == "it was …")
        #expect(secrets("a+b&c").scrubbed("it was a+b%26c or a b&amp;c") == "it was … or …")
        #expect(secrets("ünï¢øde").scrubbed("x%C3%BCn%C3%AF%C2%A2%C3%B8dey") == "x…y")
    }

    @Test func shortValuesAndCommonWordsStay() {
        let some = secrets("abc", "true", "Bearer", "  ok  ", "null")
        #expect(some.scrubbed("abc true bearer ok null") == "abc true bearer ok null")
        #expect(some.scrubbed("abc") == "abc")
    }

    @Test func aPartOfALongValueIsFound() {
        let token = "Zx81mmpQrs7Tuv"
        #expect(secrets(token).scrubbed("token Zx81mmpQ… is bad") == "token …… is bad")
        #expect(secrets(token).scrubbed("ends in pQrs7Tuv") == "ends in …")
        let words = "the lazy dog sleeps all day"
        #expect(secrets(words).scrubbed("got 'the lazy dog sleeps'") == "got '…'")
        #expect(secrets(words).scrubbed("the lazy fox sleeps") == "the lazy fox sleeps")
    }

    @Test func aCharacterIsTakenWhole() {
        #expect(secrets("%A4bcd").scrubbed("xäbcdy") == "x…y")
    }

    @Test func tooMuchIsSaid() {
        var some = KnownSecrets()
        some.add(String(repeating: "x", count: KnownSecrets.limit))
        #expect(some.isComplete)
        some.add(String(repeating: "x", count: KnownSecrets.limit + 1))
        #expect(!some.isComplete)
        var many = KnownSecrets()
        for number in 0..<30_000 { many.add("value \(number)") }
        #expect(!many.isComplete)
    }

    @Test func noValueOfFourBytesIsLeft() {
        var random = SeededGenerator(seed: 11)
        let letters = Array(#"abXY01%&+;\"/ é☃"#)
        for _ in 0..<3_000 {
            let value = String(
                (0..<Int.random(in: 4...20, using: &random)).map { _ in
                    letters.randomElement(using: &random)!
                })
            guard value.trimmingCharacters(in: .whitespaces).utf8.count >= 4 else { continue }
            let trimmed = value.trimmingCharacters(in: .whitespaces)
            let known = secrets(value)
            #expect(!known.scrubbed("<\(value)>").contains(trimmed), "\(value)")
            let encoded = PercentEncoding.query.encode(value)
            #expect(
                !known.scrubbed("a=\(encoded)&b").contains(PercentEncoding.query.encode(trimmed)))
        }
    }
}
