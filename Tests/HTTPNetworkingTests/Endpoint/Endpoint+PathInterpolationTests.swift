import Foundation
import PledgeHTTPNetworking
import Testing

@Suite struct EndpointPathInterpolationTests {
    private enum Kind: String { case book = "a/b" }
    private enum Number: Int { case seven = 7 }
    private enum Letter: Character { case slash = "/" }
    private enum Share: Double { case half = 0.5 }
    private struct Flag: RawRepresentable { var rawValue: Bool }
    private struct Key: RawRepresentable { var rawValue: UUID }

    private func path(_ path: Endpoint.Path) -> String? {
        Endpoint(path: path, base: URL(string: "https://h")).url.map {
            String($0.absoluteString.dropFirst("https://h/".count))
        }
    }

    @Test func textIsAValue() {
        let text = "a/b", letter: Character = "?"
        #expect(path("/\(text)/\(text.prefix(2))/\(letter)") == "a%2Fb/a%2F/%3F")
    }

    @Test func numbersAreValues() {
        #expect(path("/\(-7)/\(UInt8.max)/\(Int64.min)") == "-7/255/-9223372036854775808")
        #expect(path("/\(1.5)/\(Float(0.25))/\(1e20)?\(1e20)") == "1.5/0.25/1e%2B20?1e%2B20")
    }

    @Test func truthAndUUIDsAreValues() throws {
        let id = try #require(UUID(uuidString: "0EBA594E-D93A-4FDC-8E8B-F73860D423F9"))
        #expect(path("/\(true)/\(false)/\(id)") == "true/false/\(id.uuidString)")
    }

    @Test func rawValuesOfTheseAreValues() throws {
        let id = try #require(UUID(uuidString: "0EBA594E-D93A-4FDC-8E8B-F73860D423F9"))
        #expect(
            path("/\(Kind.book)/\(Number.seven)/\(Letter.slash)/\(Share.half)") == "a%2Fb/7/%2F/0.5"
        )
        #expect(path("/\(Flag(rawValue: true))/\(Key(rawValue: id))") == "true/\(id.uuidString)")
    }
}
