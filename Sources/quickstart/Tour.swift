import Foundation
import PledgeArticles
import PledgeTesting

/// Loads products and logs in, as the code in Docs/Guides/FromTheArticles.md does.
///
/// A store holds the answers, and an observer prints them.
func runTour(on networking: @escaping Networking) -> Future<Void> {
    let store = Store(initialState: Tour(), reducer: tourReducer(over: reporting(networking)))
    let ended = Promise<Void>()
    store.subscribe { old, new in
        for line in lines(for: new, after: old) { print(line) }
        if let error = new.error { ended.reject(with: error) }
        if new.hasEnded { ended.resolve(with: ()) }
    }
    store.dispatch(.begun)
    return ended.always { withExtendedLifetime(store) {} }
}

/// The things that the tour has loaded so far.
struct Tour: Sendable {
    var product: Loadable<Product, any Error> = .idle
    var products: Loadable<[Product], any Error> = .idle
    /// The answers to the logins, by password.
    var logins: [String: Loadable<NetworkResponse, any Error>] = [:]
    var hasEnded = false

    /// An event of the tour.
    enum Event: Sendable {
        case begun
        case productLoaded(Result<Product, any Error>)
        case productsLoaded(Result<[Product], any Error>)
        case loginAnswered(password: String, Result<NetworkResponse, any Error>)
    }

    /// The error that stopped the tour, if any.
    var error: (any Error)? {
        product.error ?? products.error ?? logins.values.lazy.compactMap(\.error).first
    }
}

/// Creates a reducer in which each event starts the request whose answer is the next event.
private func tourReducer(
    over networking: @escaping Networking
) -> Reducer<Tour, Tour.Event> {
    let load = productLoading(over: networking)
    return Reducer(effects: { tour, event in
        switch event {
        case .begun:
            tour.product.startLoading()
            return .request(combine(7, with: load)()) { .productLoaded($0) }
        case .productLoaded(let result):
            tour.product.finishLoading(with: result)
            guard tour.product.value != nil else { return .none }
            tour.products.startLoading()
            return .request(Future.traverse([1, 7, 9], maxConcurrent: 2, load)) {
                .productsLoaded($0)
            }
        case .productsLoaded(let result):
            tour.products.finishLoading(with: result)
            guard tour.products.value != nil else { return .none }
            return login("123", &tour, over: networking)
        case .loginAnswered(let password, let result):
            tour.logins[password]?.finishLoading(with: result)
            if password == "123" { return login("321", &tour, over: networking) }
            tour.hasEnded = true
            return .none
        }
    })
}

private func login(
    _ password: String, _ tour: inout Tour, over networking: @escaping Networking
) -> Effect<Tour.Event> {
    tour.logins[password] = .loading()
    let info = LoginInfo(userName: "Tangent", password: password)
    let answer: @Sendable () -> Future<NetworkResponse> = {
        .make { done in
            // `<-` binds a callback to the action; the next line sends the request.
            let request = login(as: info, over: networking) <- { done.resolve(with: $0) }
            request(())
        }
    }
    return .request(answer()) { .loginAnswered(password: password, $0) }
}

/// Wraps a network in a function that prints what passes through it.
private func reporting(_ networking: @escaping Networking) -> Networking {
    { endpoint in
        print("     → \(endpoint)")
        return networking(endpoint)
            .onSuccess { print("     ← \(endpoint): \($0.count) bytes") }
            .onFailure { print("     ← \(Printable.line("\($0)"))") }
    }
}

/// Returns the lines to show for a change, from the states before and after it.
func lines(for new: Tour, after old: Tour?) -> [String] {
    var lines: [String] = []
    if new.product.isLoading, old?.product.isLoading != true {
        lines.append("One product, its ID combined with the loading function:")
    }
    if let product = new.product.value, old?.product.value == nil {
        lines.append("  \(product.name) costs \(product.price) €.\n")
    }
    if new.products.isLoading, old?.products.isLoading != true {
        lines.append("Three products, two at a time:")
    }
    if let products = new.products.value, old?.products.value == nil {
        lines += products.map { "  \($0.id)  \($0.name), \($0.price) €" }
        lines.append("  Together \(products.map(\.price).reduce(0, +)) €.\n")
    }
    for (password, login) in new.logins.sorted(by: { $0.key < $1.key }) {
        let before = old?.logins[password]
        if let answer = login.value, before?.value == nil {
            lines.append("  \(answer.message)" + (new.hasEnded ? "" : "\n"))
        }
    }
    for (password, login) in new.logins where login.isLoading && old?.logins[password] == nil {
        lines.append("A login in three steps, with the password \(password):")
    }
    return lines
}

/// The content of a login request.
struct LoginInfo: Codable, Sendable {
    var userName: String
    var password: String
}

/// The answer to a login.
struct NetworkResponse: Codable, Sendable {
    var message: String
}

extension Endpoint {
    static func login(_ info: LoginInfo) throws -> Endpoint {
        Endpoint(path: "/login", method: .post, body: try .json(info))
    }
}

/// Builds a login from three actions: get the login info, send it, parse the answer.
///
/// The code is adapted from an article; see Docs/Guides/FromTheArticles.md.
func login(
    as info: LoginInfo,
    over networking: @escaping Networking
) -> Action<Void, NetworkResponse> {
    fetchLoginInfo(info) >- send(over: networking) >- parse
}

/// The login's first step; an app would read text fields here.
private func fetchLoginInfo(_ info: LoginInfo) -> Action<Void, LoginInfo> {
    { _, callback in
        print("  1. fetch the login info of \(info.userName)")
        callback(info)
    }
}

/// The login's second step: sends the login info, and passes the result of the network's future to a callback.
private func send(
    over networking: @escaping Networking
) -> Action<LoginInfo, Result<Data, any Error>> {
    { info, callback in
        print("  2. send it")
        Future(value: info).flatMap { try networking(.login($0)) }.observe(callback)
    }
}

/// The login's third step: parses the answer.
///
/// The answer to a refused login also has a message; the error keeps that answer.
private let parse: Action<Result<Data, any Error>, NetworkResponse> = { result, callback in
    print("  3. parse the answer")
    let answer = result.flatMapError { error in
        Result { try (error as? HTTPError)?.body ?? { throw error }() }
    }
    let response = answer.flatMap { data in
        Result { try JSONDecoder().decode(NetworkResponse.self, from: data) }
    }
    callback((try? response.get()) ?? NetworkResponse(message: "The answer makes no sense."))
}

/// A product of the shop.
struct Product: Codable, Sendable, Identifiable {
    var id: Int
    var name: String
    var price: Int
}

extension Endpoint {
    static func product(withID id: Product.ID) -> Endpoint { Endpoint(path: "/products/\(id)") }
}

/// Builds a product loader, a chain of three functions.
///
/// The code is adapted from an article; see Docs/Guides/FromTheArticles.md.
func productLoading(over networking: @escaping Networking) -> @Sendable (Int) -> Future<Product> {
    chain(Endpoint.product, to: networking, to: Future.decoded(as: Product.self))
}

/// The tour's server, in memory: three products and one account, with a delay of a twentieth of a second.
let server = MemoryTransport(
    routes: products.map { .get("/products/\($0.id)", answer: .json($0)) } + [
        .post("/login", answer: .respond(answerLogin))
    ],
    latency: .milliseconds(50)
)

private let products = [
    Product(id: 1, name: "iPhone", price: 799),
    Product(id: 7, name: "iPad Pro", price: 999),
    Product(id: 9, name: "Mac mini", price: 599),
]

@Sendable private func answerLogin(_ call: MemoryTransport.Call) throws -> HTTPResponse {
    let info = try JSONDecoder().decode(LoginInfo.self, from: call.endpoint.body.data ?? Data())
    let isRight = info.userName == "Tangent" && info.password == "123"
    let answer = NetworkResponse(message: isRight ? "Welcome, Tangent!" : "Wrong password.")
    return HTTPResponse(status: isRight ? 200 : 401, body: try JSONEncoder().encode(answer))
}
