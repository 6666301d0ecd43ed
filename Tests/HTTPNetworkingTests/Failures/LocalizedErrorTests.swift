import Foundation
import PledgeFutures
import PledgeHTTPBodies
import PledgeHTTPNetworking
import PledgeServices
import Testing

@Suite struct LocalizedErrorTests {
    @Test func whatAppsShowIsTheDescription() {
        let errors: [any Error & CustomStringConvertible] = [
            HTTPError(code: .timedOut, endpoint: Endpoint(path: "/a")),
            DecodingFailure(type: Int.self, data: Data(), cause: CancellationError()),
            Endpoint.Error.invalidHeader(name: "a b"),
            FutureError(.timedOut), ServiceError(.timedOut, policy: "timeout", limit: .seconds(2)),
            FileError(operation: "open", code: ENOENT, path: "/tmp/a"),
            MultipartError(code: .truncated), PaginationError(.tooManyPages, pages: 7),
        ]
        for error in errors {
            #expect(error.localizedDescription == error.description)
        }
    }

    @Test func aFailureInsideTheFrameworkHasNoOrigin() {
        let future: Future<Int> = Future(value: Data("x".utf8)).decoded()
        #expect(future.failureOrigin == nil)
        #expect((try? future.result?.get()) == nil)
    }
}
