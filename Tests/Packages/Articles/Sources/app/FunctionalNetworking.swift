import Foundation
import PledgeArticles

#if canImport(FoundationNetworking)
import FoundationNetworking
#endif

/// Everything that the article "functional networking" claims for its code.
@MainActor
func checkFunctionalNetworking() async throws {
    let iPad = Product(id: 7, name: "iPad Pro")
    let stub: Networking = { endpoint in
        Future(value: Data(#"{"id": 7, "name": "\#(endpoint.path)"}"#.utf8))
    }
    let stubbed = Product(id: 7, name: "/products/7")

    let written = URLSession.shared.requestAsWritten(.product(withID: 7))
    let product: Product = try await written.decoded().value
    check("the article's own request", product, is: iPad)
    let withoutURL = URLSession.shared.requestAsWritten(Endpoint(path: "no base"))
    let noURL = await withoutURL.resultWhenSettled
    check("… without a URL", "\(noURL)", is: "failure(\(Endpoint.Error.invalidURL))")

    let first = WithSession.ProductLoader()
    check("a loader with a session", try await first.loadProduct(withID: 7).value, is: iPad)

    let second = WithFunction.ProductLoader()
    check("a loader with a function", try await second.loadProduct(withID: 7).value, is: iPad)
    let tested = WithFunction.ProductLoader(networking: stub)
    check("… that is a stub", try await tested.loadProduct(withID: 7).value, is: stubbed)

    let third = WithComposition.ProductLoader(networking: stub)
    check("combine", try await third.loadProductCombined(withID: 7).value, is: stubbed)
    check("chain", try await third.loadProductChained(withID: 7).value, is: stubbed)
    check("chain, curried", try await third.loadProduct(withID: 7).value, is: stubbed)

    // snippet: open
    let letter = Letter()
    Letter.open(letter)()
    // end snippet
    check("an instance method is curried", letter.isOpen, is: true)

    let loading: ProductLoading = URLSession.shared.productNetworking
    check("productNetworking", try await loading(7).value, is: iPad)
    let missing = await loading(8).resultWhenSettled
    check("… of a product that is not there", (try? missing.get()) == nil, is: true)
    try await checkController(of: iPad)
}

@MainActor
private func checkController(of product: Product) async throws {
    let controller = makeProductViewController(forID: product.id)
    controller.viewWillAppear(true)
    check("the controller renders", try await firstRendered(by: controller), is: "iPad Pro")

    // The article's test: the controller is handed a value.
    // snippet: test
    let viewController = ProductViewController {
        let product = Product(id: 7, name: "iPad Pro")
        return Promise(value: product)
    }
    // end snippet
    viewController.viewWillAppear(true)
    check("… in a test", try await firstRendered(by: viewController), is: "iPad Pro")

    let failing = ProductViewController { Promise(error: Endpoint.Error.invalidURL) }
    failing.viewWillAppear(true)
    check(
        "… an error, too",
        try await firstRendered(by: failing),
        is: "\(Endpoint.Error.invalidURL)"
    )
}

/// What a controller shows once it shows anything.
@MainActor
private func firstRendered(by controller: ProductViewController) async throws -> String? {
    let deadline = ContinuousClock.now + .seconds(10)
    while controller.rendered.isEmpty, ContinuousClock.now < deadline {
        try await Task.sleep(for: .milliseconds(1))
    }
    return controller.rendered.first
}
