import Foundation
import HTTPTestSupport
import PledgeFutures
import PledgeHTTPAuthentication
import PledgeHTTPBodies
import PledgeHTTPCaching
import PledgeHTTPMessages
import PledgeHTTPNetworking
import PledgeHTTPTransportKit
import PledgeServices
import Testing

/// The request as it was sent, in responses and errors of a service that does not name it.
@Suite struct HTTPResponseHeadNamingTests {
    private let url = URL(string: "https://api.example.com/a")!

    private var adding: [Middleware<HTTPRequest, HTTPResponse>] {
        [
            .defaultHeaders(["X-API-Key": "key"]),
            .authorize(.header("X-API-Key", "key"), for: .origins(of: url)),
        ]
    }

    @Test func aResponseKnowsWhatMiddlewareAdded() throws {
        for layer in adding {
            let response = try #require(
                stack(layer, over: { _ in Future(value: HTTPResponse(status: 200)) })(
                    HTTPRequest(url)
                ).valueNow)
            #expect(response.request?.headers["X-API-Key"] == "key")
        }
    }

    @Test func aStreamedResponseKnowsItToo() throws {
        let jar = CookieJar()
        jar.store(["Set-Cookie": "sid=1"], from: url)
        let service: HTTPStreamingService = { _ in
            Future(value: HTTPStreamedResponse(status: 200, body: HTTPBodyStream(Data("b".utf8))))
        }
        let response = try #require(
            stack(.cookies(sharing: jar), over: service)(HTTPRequest(url)).valueNow)
        #expect(response.request?.headers["Cookie"] == "sid=1")
        #expect(response.collected(upTo: 9).valueNow?.request == response.request)
    }

    @Test func anErrorWithoutAResponseKnowsItThroughAllLayersAbove() throws {
        let lost: HTTPService = { _ in Future(error: HTTPError(code: .connectionLost)) }
        for layer in adding {
            let service = stack(
                .redirect(), .acceptStatus(), .decompress(upTo: 9), layer, over: lost)
            let networking = makeNetworking(over: service)
            let error = networking(Endpoint(url: url)).errorNow as? HTTPError
            #expect(error?.request?.headers["X-API-Key"] == "key")
            #expect(error?.endpoint?.headers["X-API-Key"] == nil)
        }
    }

    @Test func whatATransportSaysIsKept() throws {
        let sent = HTTPRequest(url, headers: ["X-Signature": "s"])
        let service = stack(
            adding[0],
            over: { _ in
                Future(value: HTTPResponse(status: 403, request: sent))
            })
        let networking = makeNetworking(over: service)
        let error = networking(Endpoint(url: url)).errorNow as? HTTPError
        #expect(error?.request == sent && error?.response?.request == sent)
    }

    @Test func anErrorsRequestIsTheOneThatItsResponseKnows() {
        let sent = HTTPRequest(url, headers: ["X-Signature": "s"])
        let response = HTTPResponse(status: 403, request: sent)
        let error = HTTPError(
            code: .unacceptableStatus, request: HTTPRequest(url), response: response)
        #expect(error.request == sent)
    }

    @Test func whatWasAskedIsNotCompared() {
        let (left, right) = (
            HTTPResponse(status: 200, request: HTTPRequest(url)), HTTPResponse(status: 200)
        )
        #expect(left == right && left.hashValue == right.hashValue)
    }

    @Test func theRequestOfACacheHitIsThePresentOne() throws {
        let cache = HTTPCache()
        let service = stack(
            .cache(sharing: cache),
            over: { request in
                Future(
                    value: HTTPResponse(
                        status: 200, headers: ["Cache-Control": "max-age=60"], request: request))
            })
        #expect(service(HTTPRequest(url, headers: ["X-Request-ID": "1"])).hasSucceeded)
        let hit = service(HTTPRequest(url, headers: ["X-Request-ID": "2"])).valueNow
        #expect(cache.statistics.hits == 1)
        #expect(hit?.request?.headers["X-Request-ID"] == "2")
    }
}
