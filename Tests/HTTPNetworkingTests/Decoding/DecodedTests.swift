import Foundation
import HTTPTestSupport
import PledgeFutures
import PledgeHTTPMessages
import Testing

@Suite struct HTTPResponseDecodedTests {
    private struct Product: Codable, Equatable {
        var productID: Int
    }

    private let request = HTTPRequest(.post, URL(string: "https://h/p?key=s3cret")!)

    private func response(_ status: Int, _ body: String) -> HTTPResponse {
        HTTPResponse(status: status, body: Data(body.utf8), request: request)
    }

    @Test func aResponseIsDecoded() throws {
        let product: Product = try response(200, #"{"productID":7}"#).decoded()
        #expect(product == Product(productID: 7))
        let future = Future(value: response(201, #"{"productID":7}"#))
        let same: Future<Product> = future.decoded()
        #expect(try same.result?.get() == product)
        #expect(try future.decoded(as: Product.self).result?.get() == product)
    }

    @Test func aStatusThatIsNoSuccessIsTheError() throws {
        let future: Future<Product> = Future(value: response(404, #"{"productID":7}"#)).decoded()
        let error = try #require(throws: HTTPError.self) { try future.result?.get() }
        #expect(
            error.code == .unacceptableStatus && error.status == 404 && error.request == request)
    }

    @Test func theBodyOfAnErrorsAnswerIsDecoded() throws {
        let refused = response(422, #"{"productID":7}"#)
        let product: Product = try refused.decodedBody()
        #expect(product == Product(productID: 7))
        let error = HTTPError(code: .unacceptableStatus, response: refused)
        #expect(try error.decodedBody(as: Product.self) == product)
    }

    @Test func theClientsSettingsDecodeAResponseAndAnErrorsBody() throws {
        let json = JSONCoding(decoding: { $0.keyDecodingStrategy = .convertFromSnakeCase })
        struct Order: Decodable { var orderNumber: Int }
        let body = #"{"order_number":7}"#
        #expect(try response(200, body).decoded(as: Order.self, using: json).orderNumber == 7)
        let refused = response(422, body)
        #expect(try refused.decodedBody(as: Order.self, using: json).orderNumber == 7)
        let error = HTTPError(code: .unacceptableStatus, response: refused)
        #expect(try error.decodedBody(as: Order.self, using: json).orderNumber == 7)
    }

    @Test func aBodyThatIsNoSuchValueKeepsItsResponse() throws {
        let error = HTTPError(code: .unacceptableStatus, response: response(422, "s3cret"))
        let failure = try #require(throws: DecodingFailure.self) {
            try error.decodedBody(as: Product.self)
        }
        #expect(failure.response?.request == request)
        #expect(throws: DecodingFailure.self) {
            try HTTPError(code: .cannotConnect).decodedBody(as: Product.self)
        }
    }

    @Test func aFailureKeepsTheResponseAndItsRequest() throws {
        let wrong = response(200, #"{"productID":"s3cret"}"#)
        let future: Future<Product> = Future(value: wrong).decoded()
        let failure = try #require(throws: DecodingFailure.self) { try future.result?.get() }
        #expect(failure.response == wrong && failure.response?.request == request)
        #expect(failure.data == wrong.body && failure.codingPath == "Product.productID")
        for text in texts(of: failure) { #expect(!text.contains("s3cret"), "\(text)") }
    }

    @Test func anErrorPassesUnchanged() {
        let future: Future<Product> = Future<HTTPResponse>(error: CancellationError()).decoded()
        #expect(throws: CancellationError.self) { try future.result?.get() }
    }

    @Test func decodingSettingsAreGivenOnce() throws {
        let json = JSONCoding(decoding: { $0.keyDecodingStrategy = .convertFromSnakeCase })
        struct Item: Decodable, Equatable { var unitPrice: Int }
        let body = #"{"unit_price":7}"#
        let item: Future<Item> = Future(value: response(200, body)).decoded(using: json)
        #expect(try item.result?.get() == Item(unitPrice: 7))
        let same = Future(value: Data(body.utf8)).decoded(as: Item.self, using: json)
        #expect(try same.result?.get() == Item(unitPrice: 7))
    }
}

@Suite struct FutureDecodedTests {
    struct Product: Codable, Equatable {
        var id: Int
        var name: String
    }

    private let json = Data(#"{"id":7,"name":"iPad Pro"}"#.utf8)

    @Test func theContextNamesTheType() throws {
        let product: Future<Product> = Future(value: json).decoded()
        #expect(try product.result?.get() == Product(id: 7, name: "iPad Pro"))
    }

    @Test func theTypeAndTheSettingsMayBeNamed() throws {
        let json = JSONCoding(decoding: {
            $0.keyDecodingStrategy = .custom { keys in
                Key(stringValue: keys.last!.stringValue.lowercased())
            }
        })
        let data = Future(value: Data(#"{"ID":7,"NAME":"x"}"#.utf8))
        #expect(try data.decoded(as: Product.self, using: json).result?.get().id == 7)
        #expect(try Future(value: Data("[1]".utf8)).decoded(as: [Int].self).result?.get() == [1])
    }

    @Test func decodingCanBePassedAsAFunction() throws {
        func apply<A, B>(_ value: A, _ outer: (A) -> () -> B) -> B { outer(value)() }
        let product: Future<Product> = Future(value: json).decoded()
        #expect(try product.result?.get().id == 7)
    }

    @Test func decodingWaitsForTheData() throws {
        let promise = Promise<Data>()
        let product = promise.decoded(as: Product.self)
        #expect(product.result == nil)
        promise.resolve(with: json)
        #expect(try product.result?.get().id == 7)
    }

    @Test func anErrorBeforePassesUnchanged() throws {
        let failed: Future<Product> = Future(error: Endpoint.Error.invalidURL).decoded()
        #expect(throws: Endpoint.Error.invalidURL) { try failed.result?.get() }
    }

    @Test func dataThatIsNoSuchValueRejects() throws {
        let failed = Future(value: Data("{}".utf8)).decoded(as: Product.self)
        let error = try #require(throws: DecodingFailure.self) { try failed.result?.get() }
        #expect(error.data == Data("{}".utf8) && error.cause is DecodingError)
        #expect(error.code == .keyNotFound && error.type == Product.self)
    }

    private struct Key: CodingKey {
        var stringValue: String
        var intValue: Int? { nil }
        init(stringValue: String) { self.stringValue = stringValue }
        init?(intValue: Int) { nil }
    }
}
