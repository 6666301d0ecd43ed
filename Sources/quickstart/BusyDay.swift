import Foundation
import Pledge
import PledgeObservation
import PledgeTesting

/// Loads a product from a shop that is busy at first.
///
/// With the constant `random`, the client repeats the call at once. By default, it would first wait for up to a tenth
/// of a second.
func makeFirstCall() async throws {
    print("A product of a shop that is busy at first:")
    let shop = MemoryTransport(routes: [
        .get(
            "/products/:id",
            answer: .sequence([.status(503), .json(Product(id: 7, name: "iPad Pro", price: 999))]))
    ])
    var client = HTTPClient(base: URL(string: "https://shop.example")!, over: shop)
    client.random = .constant(0)

    let product: Product = try await client.get("/products/\(7)")
    print(
        "  \(product.name) costs \(product.price) €, after \(shop.calls.count) requests: a 503, and a 200."
    )
}

/// Shows, as a waterfall, how policies handle a server that is busy at first and slow afterwards.
func runBusyDay(recordedBy recorder: CallRecorder) -> Future<Void> {
    print("\nA screen that asks twice for one product, while the shop is busy and then slow:")
    return loadOnABusyDay(recordedBy: recorder).map { title, requests in
        let style = Terminal.waterfallStyle
        print(recorder.lastCall?.waterfall(width: 24, style: style) ?? "", terminator: "")
        print("  \(title) for both, after \(requests) requests.\n")
    }
}

/// Loads a product for a screen that asks twice, and returns its name and the number of requests.
///
/// The product loader is the same as in the tour. Here its network has policies around it. Time is virtual, so
/// the load ends at once, with the same result each time.
func loadOnABusyDay(
    recordedBy recorder: CallRecorder
) -> Future<(title: String, requests: Int)> {
    let scheduler = ManualScheduler()
    let shop = busyShop(on: scheduler)
    let networking = stack(
        .observed(named: { "\($0)" }),
        .deadline(.seconds(2), on: scheduler),
        .coalesce(),
        .retry(Retry(backoff: .constant(.milliseconds(50))), on: scheduler),
        .hedge(sharing: Hedge(after: .milliseconds(100), maxExtraLoad: 1, on: scheduler)),
        .timeout(.milliseconds(500), on: scheduler),
        over: shop.request)
    let load = productLoading(over: networking)
    let loadScreen = stack(
        .observed(by: recorder.observer, on: scheduler, named: { _ in "screen" }),
        over: { (id: Product.ID) in zip(load(id), load(id)) })

    let shown = loadScreen(7)
    scheduler.run()
    return shown.map { product, _ in (product.name, shop.calls.count) }
}

/// Creates a shop that answers two requests with 503, takes two seconds for the third, and then answers normally.
private func busyShop(on scheduler: ManualScheduler) -> MemoryTransport {
    let slow = MemoryTransport.Answer.future { _ in
        Future(value: HTTPResponse(status: 200)).delay(.seconds(2), on: scheduler)
    }
    let answer = MemoryTransport.Answer.sequence([
        .status(503), .status(503), slow, .json(Product(id: 7, name: "iPad Pro", price: 999)),
    ])
    return MemoryTransport(
        routes: [.get("/products/7", answer: answer)], latency: .milliseconds(30), on: scheduler)
}
