import PledgeArticles
// snippet: stubs
import PledgeTesting

// end snippet

// snippet: requests
protocol RequestProtocol {
    var endpoint: Endpoint { get }
}

extension RequestState {
    func sendRequest<Response: Codable & Sendable>(
        _ request: some RequestProtocol,
        completion: (@Sendable (Result<Response, any Error>) -> Void)?
    ) {
        sendRequest(request.endpoint, completion: completion)
    }
}

struct FirstRequest: RequestProtocol {
    var endpoint: Endpoint { Endpoint(path: "/route") }
}

struct SecondRequest: RequestProtocol {
    var endpoint: Endpoint { Endpoint(path: "/login") }
}

struct ThirdRequest: RequestProtocol {
    var endpoint: Endpoint { Endpoint(path: "/auth") }
}

struct FirstResponse: Codable, Equatable {
    var route: String
}

struct SecondResponse: Codable, Equatable {
    var login: Int
}

struct ThirdResponse: Codable, Equatable {
    var isAllowed: Bool
}

enum RequestAction {
    case sendFirstRequest(FirstRequest)
    case sendSecondRequest(SecondRequest)
    case sendThirdRequest(ThirdRequest)
}
// end snippet

/// Three requests, declared one after the other.
@MainActor
func checkRequests() async throws {
    let answers = StoreRecorder(
        initialState: [], reducer: Reducer { (all: [String], one: String) in all + [one] })
    let print: @Sendable (String) -> Void = { answers.dispatch(event: $0) }
    // snippet: request-reducer
    let requestReducer = Reducer<RequestState, RequestAction> { state, action in
        switch action {
        case .sendFirstRequest(let request):
            state.sendRequest(request) { (result: Result<FirstResponse, any Error>) in
                // 1 Response
                print("1: \(result.map(\.route))")
            }
        case .sendSecondRequest(let request):
            state.sendRequest(request) { (result: Result<SecondResponse, any Error>) in
                // 2 Response
                print("2: \(result.map(\.login))")
            }
        case .sendThirdRequest(let request):
            state.sendRequest(request) { (result: Result<ThirdResponse, any Error>) in
                // 3 Response
                print("3: \(result.map(\.isAllowed))")
            }
        }
    }
    // end snippet

    // snippet: request-calls
    let transport = MemoryTransport(
        routes: [
            .get("/route", answer: .json(FirstResponse(route: "north"))),
            .get("/login", answer: .json(SecondResponse(login: 7))),
            .get("/auth", answer: .json(ThirdResponse(isAllowed: true))),
        ],
        latency: .milliseconds(1)
    )
    var state = RequestState(networking: transport.request)
    requestReducer.reduce(&state, .sendFirstRequest(FirstRequest()))
    requestReducer.reduce(&state, .sendSecondRequest(SecondRequest()))
    requestReducer.reduce(&state, .sendThirdRequest(ThirdRequest()))
    // end snippet

    check("the calls return at once", transport.calls.count <= 1, is: true)
    // snippet: request-finished
    try await state.finished.value
    // end snippet
    check("sent in order", transport.calls.map(\.endpoint.path), is: ["/route", "/login", "/auth"])
    check(
        "answered in order", answers.state,
        is: [#"1: success("north")"#, "2: success(7)", "3: success(true)"])
}
