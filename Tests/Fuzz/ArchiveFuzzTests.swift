import Foundation
import TestSupport
import Testing

@testable import PledgeHTTPMessages
@testable import PledgeHTTPText
@testable import PledgeObservation

/// Recordings whose text was changed, and exchanges of random bytes.
@Suite(.oneAtATime) struct ArchiveFuzzTests {
    private let words = [
        "{", "}", "[", "]", ":", ",", "\"", "null", "true", "-1", "1e999", "0.5", "\"base64\"",
        "\"text\"", "\"status\"", "\"headers\"", "\"token\"", "\\u0000", "\\ud800", "\"_error\"",
        "\"params\"", "\"0000-01-01T00:00:00Z\"", "99999999999999999999", "\"http://[\"",
    ]

    /// A recording is long, and JSON's decoder throws at most of its values: 200,000 took more than a quarter of an hour.
    private let count = min(fuzzInputCount(), 10_000)

    @Test(
        "changed recordings are read without a trap, or refused with a place; what is read is written and read back equal"
    )
    func recordingsAreReadOrRefused() throws {
        var inputs = Mutator(
            corpus: try corpus(named: "recordings"), words: words, delimiters: "{}[]:,\" ", seed: 11
        )
        var read = 0
        for _ in 0..<count {
            let input = Data(inputs.next())
            do throws(HTTPArchive.ReadError) {
                let archive = try HTTPArchive(input)
                read += 1
                let again = try HTTPArchive(archive.encoded)
                #expect(
                    again.entries == archive.entries, "\(String(decoding: input, as: UTF8.self))")
                #expect(again.encoded == archive.encoded)
            } catch {
                #expect(!error.reason.isEmpty && !"\(error)".isEmpty)
            }
        }
        #expect(read > count / 50)
    }

    @Test("exchanges of random bytes are redacted without a trap, and JSON stays JSON")
    func exchangesOfRandomBytesAreRedactedWithoutATrap() throws {
        var inputs = Mutator(
            corpus: try corpus(named: "recordings"),
            words: words + [
                "password=s3cr3t-v4lue", "\"token\":\"s3cr3t-v4lue\"", "&", "=", "\\\"", "\\",
            ],
            delimiters: "{}[]:,\" =&", seed: 12)
        let url = try #require(URL(string: "https://a.example/?key=s3cr3t-v4lue"))
        let types = [
            "application/json", "text/plain", "application/x-www-form-urlencoded",
            "text/event-stream",
        ]
        for number in 0..<count / 4 {
            let input = Data(inputs.next())
            let type = types[number % types.count]
            let entry = ArchiveRedaction.redacted(
                HTTPArchive.Entry(
                    HTTPRequest(.post, url, body: .data(input, contentType: type)),
                    HTTPResponse(status: 200, headers: ["Content-Type": type], body: input)))
            let text = String(decoding: HTTPArchive(entries: [entry]).encoded, as: UTF8.self)
            if String(validating: input, as: UTF8.self) != nil {
                #expect(!text.contains("s3cr3t-v4lue"), "\(text)")
            }
            if JSONOutline(Array(input)).isWhole, let body = entry.response?.body, !body.isEmpty {
                #expect(JSONOutline(Array(body)).isWhole)
            }
            #expect(try HTTPArchive(Data(text.utf8)).entries == [entry])
        }
    }
}
