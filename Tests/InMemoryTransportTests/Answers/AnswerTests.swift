import Foundation
import PledgeFutures
import PledgeHTTPNetworking
import PledgeInMemoryTransport
import Testing

@Suite struct AnswerTests {
    private struct Product: Codable, Equatable, Sendable {
        var id: Int
        var price: Double
    }
    private struct Refusal: Error {}

    private func request(
        _ answer: MemoryTransport.Answer,
        _ endpoint: Endpoint = Endpoint(path: "/x/7")
    ) -> Future<Data> {
        MemoryTransport(routes: [.get("/x/:id", answer: answer)]).request(endpoint)
    }

    @Test func dataAndTextAreAnsweredAsTheyAre() throws {
        #expect(try request(.data(Data([0, 255]))).result?.get() == Data([0, 255]))
        #expect(try request(.text("ä")).result?.get() == Data([0xC3, 0xA4]))
    }

    @Test func aValueIsAnsweredAsJSON() throws {
        let product = Product(id: 7, price: 0.5)
        #expect(try request(.json(product)).decoded(as: Product.self).result?.get() == product)
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .prettyPrinted]
        let pretty = try encoder.encode(product)
        #expect(try request(.json(product, encoder: encoder)).result?.get() == pretty)
        #expect(try request(.json(product)).result?.get() != pretty)
    }

    @Test func aValueThatCannotBeEncodedRejects() throws {
        let future = request(.json(Product(id: 7, price: .infinity)))
        let error = try #require(throws: MemoryTransport.AnswerFailure.self) {
            try future.result?.get()
        }
        #expect(error.code == .unencodableValue && error.cause is EncodingError)
        #expect(error.description.contains("GET /x/:id") && error.description.contains("Product"))
    }

    @Test func aFileIsReadForEachCall() throws {
        let file = FileManager.default.temporaryDirectory.appending(
            path: "\(UUID().uuidString).json"
        )
        defer { try? FileManager.default.removeItem(at: file) }
        let transport = MemoryTransport(routes: [.get("/x", answer: .file(file))])
        let endpoint = Endpoint(path: "/x")
        let error = try #require(throws: MemoryTransport.AnswerFailure.self) {
            try transport.request(endpoint).result?.get()
        }
        #expect(error.code == .unreadableFile && error.cause != nil)
        #expect(error.description.contains(file.path()))
        for text in ["one", "two"] {
            try Data(text.utf8).write(to: file)
            #expect(try transport.request(endpoint).result?.get() == Data(text.utf8))
        }
    }

    @Test func anErrorIsAnsweredAsItIs() {
        #expect(throws: Refusal.self) { try request(.failure(Refusal())).result?.get() }
    }

    @Test func aStatusThatIsNoSuccessRejectsAsAWireDoes() throws {
        let response = HTTPResponse(status: 422, headers: ["A": "b"], body: Data("no".utf8))
        let endpoint = Endpoint(path: "/x/7")
        let answers: [MemoryTransport.Answer] = [
            .status(422, headers: ["A": "b"], body: Data("no".utf8)), .response(response),
            .respond { _ in response },
        ]
        for answer in answers {
            let error = try #require(throws: HTTPError.self) {
                try request(answer, endpoint).result?.get()
            }
            #expect(error.code == .unacceptableStatus && error.response == response)
            #expect(error.endpoint == endpoint)
        }
        #expect(try request(.status(204)).result?.get() == Data())
        #expect(
            try request(.respond { _ in .init(status: 201, body: Data([1])) }).result?.get()
                == Data([1])
        )
    }
}
