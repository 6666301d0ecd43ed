import Pledge
import Testing

/// The section Errors of Docs/Guides/CheatSheet.md has the codes of the code.
@Suite struct CheatSheetErrorsTests {
    private let sheet: CheatSheet

    init() throws { sheet = try CheatSheet(section: "Errors") }

    /// The codes that a file declares, each with its words.
    private func codes(in source: String) -> [(code: String, words: String)] {
        let declared =
            #/
            static\ let\ (\w+)\ =\ (?:HTTPError\.)?Code
            \(rawValue:\ "(\w+)",\ description:\ "([^"]*)"
            /#
        let oneLine = source.replacing(/\s+/, with: " ").replacing("( ", with: "(")
        return oneLine.matches(of: declared).map { match in
            #expect(match.output.1 == match.output.2)
            return (String(match.output.2), String(match.output.3))
        }
    }

    @Test func codesAndWordsOfHTTPErrors() throws {
        let sources = try Repository.this.check().sources
            .filter { $0.key.hasPrefix("Sources/HTTPMessages/Failures/HTTPErrorCode") }
        let declared = sources.values.flatMap(codes)
        let count = sources.values.map { $0.matches(of: /public static let/).count }.reduce(0, +)
        #expect(declared.count == count)
        let table = sheet.tables[0]
        let shown = table["Code"].flatMap(MarkdownTable.code)
        #expect(Set(shown) == Set(declared.map(\.code)))
        for (code, words) in zip(shown, table["Its words"]) {
            #expect(declared.first { $0.code == code }?.words == words, "\(code)")
        }
    }

    @Test func whatTheNextCallMayDo() throws {
        let table = sheet.tables[0]
        for (code, next) in zip(table["Code"].flatMap(MarkdownTable.code), table["Next call"])
        where code != "unacceptableStatus" {
            let causes = [HTTPError(code: .connectionLost), HTTPError(code: .badResponse)]
            let answers = Set(causes.map { isRetryable(code, because: $0) ? "yes" : "no" })
            #expect(next == (answers.count == 1 ? answers.first : "by its cause"), "\(code)")
        }
    }

    private func isRetryable(_ code: String, because cause: HTTPError) -> Bool {
        let error = HTTPError(code: .init(rawValue: code), cause: cause)
        let outcome = Classifier<HTTPResponse>.standard(.failure(error))
        return outcome.retry != .never
    }

    @Test func codesAndWordsOfServiceErrors() {
        let table = sheet.tables[1]
        let shown = table["Code"].flatMap(MarkdownTable.code)
        #expect(shown == ServiceError.Code.allCases.map(\.rawValue))
        for (code, words) in zip(ServiceError.Code.allCases, table["Its words"]) {
            let retryAt = SchedulerInstant(offset: .zero)
            let error = ServiceError(code, policy: "p", retryAt: retryAt)
            #expect(error.description == "p: \(words)")
        }
    }

    @Test func codesAndWordsOfFutureErrors() {
        let table = sheet.tables[2]
        let shown = table["Code"].flatMap(MarkdownTable.code)
        #expect(shown == FutureError.Code.allCases.map(\.rawValue))
        for (code, words) in zip(FutureError.Code.allCases, table["Its words"]) {
            #expect(FutureError(code).description.hasPrefix("\(words):"))
        }
    }
}
