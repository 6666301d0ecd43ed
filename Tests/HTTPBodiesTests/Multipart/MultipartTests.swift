import Foundation
import HTTPTestSupport
import PledgeHTTPNetworking
import PledgeServices
import TestSupport
import Testing

@testable import PledgeHTTPBodies

@Suite struct MultipartTests {
    /// Returns the same bits again and again.
    struct Constant: RandomNumberGenerator {
        func next() -> UInt64 { 7 }
    }

    @Test func theBoundaryComesFromTheRandomSource() {
        func boundary(_ seed: UInt64) -> String {
            Multipart([], random: RandomSource(SeededGenerator(seed: seed))).boundary
        }
        #expect(boundary(1) == boundary(1))
        #expect(boundary(1) != boundary(2))
        #expect(Multipart([]).boundary != Multipart([]).boundary)
        #expect(boundary(1).utf8.count == 39)
    }

    @Test func theBoundaryStandsInNoPartThatIsInMemory() {
        let random = RandomSource(Constant())
        let first = "pledge-00000000000000070000000000000007"
        #expect(Multipart([.text("a", "b")], random: random).boundary == first)
        let parts: [Multipart.Part] = [
            .text("a", "x\(first)-1"), .data("b", Data("\(first)-2 \(first)".utf8)),
        ]
        // The search for a boundary ends although the generator returns nothing new.
        #expect(Multipart(parts, random: random).boundary == "\(first)-3")
    }

    @Test func theContentTypeNamesTheBoundary() {
        let form = Multipart([])
        #expect(form.contentType == "multipart/form-data; boundary=\(form.boundary)")
        #expect(MultipartReader.boundary(in: form.contentType) == form.boundary)
        #expect(Multipart([], subtype: "related").contentType.hasPrefix("multipart/related;"))
    }

    @Test func itsTextShowsNothingOfTheParts() {
        let part = Multipart.Part.data("secret", Data("secret".utf8), filename: "secret")
        let form = Multipart([part, .text("secret", "secret")])
        var dumped = ""
        dump(form, to: &dumped)
        dump(part, to: &dumped)
        for text in ["\(form)", "\(part)", String(reflecting: form), dumped] {
            #expect(!text.contains("secret"))
        }
        #expect("\(form)" == "multipart/form-data of 2 parts")
        #expect("\(part)" == "a part: 6 bytes of application/octet-stream")
    }
}
