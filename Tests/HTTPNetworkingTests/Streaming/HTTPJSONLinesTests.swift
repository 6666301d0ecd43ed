import Foundation
import HTTPTestSupport
import PledgeServices
import TestSupport
import Testing

@testable import PledgeHTTPMessages
@testable import PledgeHTTPTransportKit

@Suite struct HTTPJSONLinesTests {
    private struct Entry: Decodable, Equatable, Sendable {
        var id: Int
    }

    private func values(of text: String, chunksOf size: Int = 3) async throws -> [Entry] {
        var values: [Entry] = []
        let body = HTTPBodyStream(Data(text.utf8), chunksOf: size)
        for try await value in body.jsonLines(as: Entry.self) { values.append(value) }
        return values
    }

    @Test(arguments: [1, 3, 100])
    func eachLineThatIsNotEmptyIsAValue(size: Int) async throws {
        let text = "{\"id\":1}\r\n\n \t\n{\"id\": 2}\n\r\n{\"id\":3}"
        let found = try await values(of: text, chunksOf: size)
        #expect(found == [Entry(id: 1), Entry(id: 2), Entry(id: 3)])
        #expect(try await values(of: "").isEmpty)
        #expect(try await values(of: "\n\n").isEmpty)
    }

    @Test func aValueComesBeforeTheNextLineDoes() async throws {
        let source = ScriptedSource()
        var values = source.stream().jsonLines(as: Entry.self).makeAsyncIterator()
        async let first = values.next()
        #expect(await comesTrue { source.asked == 1 })
        source.give("{\"id\":1}\n{\"id\"")
        #expect(try await first == Entry(id: 1))
        #expect(source.asked == 1)
    }

    @Test("a malformed line is an error with its number, and reading may go on")
    func aMalformedLineIsAnErrorWithItsNumber() async throws {
        let text = "{\"id\":1}\n\n{\"id\":\"secret\"}\n{\"id\":4}\nnone"
        let body = HTTPBodyStream(Data(text.utf8))
        var values = body.jsonLines(as: Entry.self).makeAsyncIterator()
        #expect(try await values.next() == Entry(id: 1))
        let failure = await #expect(throws: DecodingFailure.self) { try await values.next() }
        #expect(failure?.line == 3 && failure?.code == .typeMismatch)
        #expect(failure.map { "\($0)".contains("(in line 3, 15 bytes)") } == true)
        #expect(failure.map { "\($0)".contains("secret") } == false)
        #expect(try await values.next() == Entry(id: 4))
        let last = await #expect(throws: DecodingFailure.self) { try await values.next() }
        #expect(last?.line == 5 && last?.data == Data("none".utf8))
        #expect(try await values.next() == nil)
    }

    @Test func aLineOfJSONIsBounded() async throws {
        let body = HTTPBodyStream(Data("{\"id\":1}\n{\"id\":1000000}\n".utf8))
        var values = body.jsonLines(as: Entry.self, limit: 10).makeAsyncIterator()
        #expect(try await values.next() == Entry(id: 1))
        let error = await #expect(throws: HTTPError.self) { try await values.next() }
        #expect(error?.code == .bodyTooLarge)
        #expect(try await values.next() == nil)
    }

    @Test
    func linesDecodeWithTheClientsSettings() async throws {
        struct Visit: Decodable, Equatable, Sendable {
            var firstSeen: Date
        }
        var request = HTTPRequest(URL(string: "https://a.example")!)
        request.context.json = .iso8601.snakeCase
        let text = "{\"first_seen\":\"1970-01-01T00:00:00Z\"}\n"
        let response = HTTPStreamedResponse(
            status: 200, body: HTTPBodyStream(Data(text.utf8)), request: request)
        var visits: [Visit] = []
        for try await visit in response.jsonLines(as: Visit.self) { visits.append(visit) }
        #expect(visits == [Visit(firstSeen: Date(timeIntervalSince1970: 0))])
    }
}
