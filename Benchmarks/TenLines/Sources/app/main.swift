import Foundation
import Pledge

struct Product: Codable, Sendable { var id: Int }

let server = URL(string: CommandLine.arguments[1])!
let api = chain(Endpoint.based(on: server), to: URLSession.shared.request)
let reliable = stack(.retry(), .timeout(.seconds(5)), over: api)
let products: Future<[Product]> = reliable(Endpoint(path: "/products")).decoded()
print(try await products.value.count)
