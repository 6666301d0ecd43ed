import Foundation
import PledgeArticles
import PledgeFutures
import PledgeHTTPNetworking
import PledgeStores
import Testing

@Suite struct RequestStateTests {
    @Test func theReducerDeclaresRequestsWhoseAnswersAreDecoded() throws {
        let answers = Locked<[Int]>([])
        let sum = Locked(0)
        var state = RequestState(networking: { endpoint in
            Future(value: Data(endpoint.path.utf8.dropFirst()))
        })
        let reducer = Reducer<RequestState, RequestAction>.requests()
        for path in ["/1", "/2"] {
            reducer.reduce(
                &state,
                .send(Endpoint(path: path)) { (result: Result<Int, any Error>) in
                    if let number = try? result.get() { answers.withLock { $0.append(number) } }
                })
        }
        state.sendRequest(Endpoint(path: "/3")) { (result: Result<Int, any Error>) in
            sum.withLock { $0 += (try? result.get()) ?? 0 }
        }
        #expect(answers.withLock { $0 } == [1, 2])
        #expect(sum.withLock { $0 } == 3)
    }
}
