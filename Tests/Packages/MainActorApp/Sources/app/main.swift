import Foundation
import PledgeArticles

// Says what an app with the main actor as its default can do, and fails where it cannot.

func check(_ what: String, _ value: String, is expected: String) {
    print(value == expected ? "ok: \(what)" : "WRONG: \(what): \(value), not \(expected)")
    if value != expected { exit(1) }
}

let networking: Networking = { endpoint in
    Future(value: Data(#"{"id": 7, "name": "\#(endpoint.path)"}"#.utf8))
}
let loadProduct: @Sendable (Int) -> Future<Product> = chain(
    chain(Endpoint.product, to: networking),
    to: Future.decoded
)

let screen = ProductScreen(loading: combine(7, with: loadProduct))
screen.appear()
while screen.title.isEmpty { await Task.yield() }
check("observe on the main actor", screen.title, is: "/products/7")

let other = ProductScreen(loading: combine(8, with: loadProduct))
await other.load()
check("await", other.title, is: "/products/8")

let mocked = ProductScreen { Promise(value: Product(id: 7, name: "iPad Pro")) }
await mocked.load()
check("a screen in a test", mocked.title, is: "iPad Pro")

let unreachable = await URLSession.shared.request(Endpoint(path: "no base")).resultWhenSettled
check("a session's request", "\(unreachable)", is: "failure(\(Endpoint.Error.invalidURL))")

let shop = HTTPClient(base: URL(string: "https://shop.example")) { request in
    let sent = request.body.data ?? Data()
    let answer = sent.isEmpty ? Data(#"{"id": 8}"#.utf8) : sent
    return Future(value: HTTPResponse(status: 200, body: answer))
}
let receipt: Receipt = try await shop.get("/receipts/\(8)")
// The main actor decodes it: Receipt has not a word about isolation.
check("a model of the main actor", "\(receipt.id)", is: "8")
let model = ReceiptModel(client: shop)
await model.load(8)
check("a screen's model", "\(model.receipt?.id ?? 0)", is: "8")
let answered: Receipt = try await shop.post("/receipts", json: Receipt())
check("sends one too", "\(answered.id)", is: "7")
let status = shop.futures.get("/receipts").map(\.status)
check("a future of a response", "\(try await status.value)", is: "200")
// At the top level, where Swift prefers what is not awaited.
let response = try await shop.get("/receipts")
check("a response", "\(response.status)", is: "200")
try await shop.delete("/receipts")
let label = Promise<String>()
let request = trim >- greet <- { text in label.resolve(with: text) }
request(" Ada ")
check("actions", try await label.value, is: "Welcome, Ada")
