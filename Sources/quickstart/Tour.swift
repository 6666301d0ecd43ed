import Pledge

/// What the tour has loaded so far.
struct Tour: Sendable {
    var product: Loadable<Product, any Error> = .idle
    var products: Loadable<[Product], any Error> = .idle
    /// The answers to the logins, by password.
    var logins: [String: Loadable<NetworkResponse, any Error>] = [:]
    var hasEnded = false

    /// What can happen on the tour.
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

/// Does what the articles do, one thing after the other: a store loads each thing, and an observer shows it.
func runTour(on networking: @escaping Networking) -> Future<Void> {
    let store = Store(initialState: Tour(), reducer: tourReducer(over: reporting(networking)))
    let ended = Promise<Void>()
    store.subscribe { old, new in
        for line in lines(for: new, after: old) { print(line) }
        if let error = new.error { ended.reject(with: error) }
        if new.hasEnded { ended.resolve(with: ()) }
    }
    store.dispatch(event: .begun)
    return ended.always { withExtendedLifetime(store) {} }
}

/// Each event starts the request whose answer is the next event.
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

/// A network that prints what passes through it: a function around a function.
private func reporting(_ networking: @escaping Networking) -> Networking {
    { endpoint in
        print("     → \(endpoint)")
        return networking(endpoint)
            .onSuccess { print("     ← \(endpoint): \($0.count) bytes") }
            .onFailure { print("     ← \(Printable.line("\($0)"))") }
    }
}
