import Foundation
import PledgeFutures
import PledgeHTTPNetworking
import Testing

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

    @Test func theTypeAndTheDecoderMayBeNamed() throws {
        let decoder = JSONDecoder()
        decoder.keyDecodingStrategy = .custom { keys in
            Key(stringValue: keys.last!.stringValue.lowercased())
        }
        let data = Future(value: Data(#"{"ID":7,"NAME":"x"}"#.utf8))
        #expect(try data.decoded(as: Product.self, using: decoder).result?.get().id == 7)
        #expect(try Future(value: Data("[1]".utf8)).decoded(as: [Int].self).result?.get() == [1])
    }

    @Test func itCanBePassedAsAFunction() throws {
        func apply<A, B>(_ value: A, _ outer: (A) -> () -> B) -> B { outer(value)() }
        let product: Future<Product> = apply(Future(value: json), Future.decoded)
        #expect(try product.result?.get().id == 7)
    }

    @Test func itWaitsForTheData() throws {
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

    @Test func whatIsNoSuchValueRejects() throws {
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
