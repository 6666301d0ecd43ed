import Pledge

/// What the two articles do, one thing after the other.
func runTour(on networking: @escaping Networking) -> Future<Void> {
    let networking = reporting(networking)
    // All of it runs on the scheduler's thread, one thing at a time, so the lines have one order.
    return Future(value: ()).delay(.zero, on: .live)
        .flatMap { showProduct(on: networking) }
        .flatMap { showProducts(on: networking) }
        .flatMap { showLogin(password: "123", on: networking) }
        .flatMap { showLogin(password: "321", on: networking) }
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

private func showProduct(on networking: @escaping Networking) -> Future<Void> {
    print("One product, its ID combined with the loading function:")
    let load = combine(7, with: productLoading(over: networking))
    return load().map { print("  \($0.name) costs \($0.price) €.\n") }
}

private func showProducts(on networking: @escaping Networking) -> Future<Void> {
    print("Three products, two at a time:")
    let load = productLoading(over: networking)
    return Future.traverse([1, 7, 9], maxConcurrent: 2, load).map { products in
        for product in products { print("  \(product.id)  \(product.name), \(product.price) €") }
        print("  Together \(products.map(\.price).reduce(0, +)) €.\n")
    }
}

private func showLogin(password: String, on networking: @escaping Networking) -> Future<Void> {
    print("A login in three steps, with the password \(password):")
    let info = LoginInfo(userName: "Tangent", password: password)
    return .make { done in
        // The request is sent apart from where its answer is heard.
        let request =
            login(as: info, over: networking) <- { response in
                print("  \(response.message)\(password == "123" ? "\n" : "")")
                done.resolve(with: ())
            }
        request(())
    }
}
