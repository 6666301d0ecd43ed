import Foundation
import Pledge

/// The server of the tour: three products and one account, in memory, with a delay of a twentieth of a second.
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
