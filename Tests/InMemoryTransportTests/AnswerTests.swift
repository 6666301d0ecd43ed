import Foundation
import PledgeFutures
import PledgeHTTPMessages
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
        let pretty = JSONCoding(encoding: { $0.outputFormatting = [.sortedKeys, .prettyPrinted] })
        let text = try pretty.encoder().encode(product)
        #expect(try request(.json(product, using: pretty)).result?.get() == text)
        #expect(try request(.json(product)).result?.get() != text)
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

@Suite struct AnswerComputedTests {
    private struct Refusal: Error {}

    private func request(
        _ answer: MemoryTransport.Answer,
        latency: Duration = .zero,
        on scheduler: ManualScheduler = ManualScheduler()
    ) -> Future<Data> {
        let transport = MemoryTransport(
            routes: [.post("/x/:id", answer: answer)],
            latency: latency,
            on: scheduler
        )
        return transport.request(
            Endpoint(path: "/x/a b", method: .post, body: .data(Data("body".utf8)))
        )
    }

    @Test func aClosureGetsTheCall() throws {
        let answer = MemoryTransport.Answer.reply { call in
            Data("\(call.parameters["id"] ?? "") ".utf8) + (call.endpoint.body.data ?? Data())
        }
        #expect(try request(answer).result?.get() == Data("a b body".utf8))
    }

    @Test func whatAClosureThrowsRejects() {
        let answers: [MemoryTransport.Answer] = [
            .reply { _ in throw Refusal() }, .respond { _ in throw Refusal() },
            .future { _ in throw Refusal() },
        ]
        for answer in answers {
            #expect(throws: Refusal.self) { try request(answer).result?.get() }
        }
    }

    @Test func aFutureAnswersWhenItSettles() throws {
        let promise = Promise<HTTPResponse>()
        let future = request(.future { _ in promise })
        #expect(future.result == nil)
        promise.resolve(with: HTTPResponse(status: 200, body: Data("late".utf8)))
        #expect(try future.result?.get() == Data("late".utf8))
    }

    @Test func aClosureRunsWhenTheLatencyIsOver() throws {
        let scheduler = ManualScheduler()
        let future = request(
            .reply { [now = scheduler.now] _ in Data("\(now.duration(to: scheduler.now))".utf8) },
            latency: .seconds(3),
            on: scheduler
        )
        scheduler.advance(by: .seconds(5))
        #expect(try future.result?.get() == Data("\(Duration.seconds(3))".utf8))
    }

    @Test func cancellingCancelsTheFuture() {
        let promise = Promise<HTTPResponse>()
        let cancelled = Locked(false)
        promise.onCancel { cancelled.withLock { $0 = true } }
        request(.future { _ in promise }).cancel()
        #expect(cancelled.withLock { $0 })
    }
}

@Suite struct AnswerSequenceTests {
    private typealias Answer = MemoryTransport.Answer

    private func texts(_ transport: MemoryTransport, _ count: Int) -> [String] {
        (0..<count).map { _ in
            switch transport.request(Endpoint(path: "/x")).result {
            case .success(let data): String(decoding: data, as: UTF8.self)
            case .failure(let error as HTTPError): "\(error.status ?? 0)"
            default: "?"
            }
        }
    }

    @Test func eachCallTakesTheNextAndTheLastStays() {
        let answer = Answer.sequence([.status(503), .text("a"), .text("b")])
        let transport = MemoryTransport(routes: [.get("/x", answer: answer)])
        #expect(texts(transport, 5) == ["503", "a", "b", "b", "b"])
    }

    @Test func eachTransportBeginsAtTheFirst() {
        let route = MemoryTransport.Route.get("/x", answer: .sequence([.text("a"), .text("b")]))
        #expect(texts(MemoryTransport(routes: [route]), 2) == ["a", "b"])
        #expect(texts(MemoryTransport(routes: [route]), 2) == ["a", "b"])
    }

    @Test func sequencesNest() {
        let answer = Answer.sequence([
            .sequence([.text("a"), .text("b")]), .text("c"), .sequence([.text("d"), .text("e")]),
        ])
        let transport = MemoryTransport(routes: [.get("/x", answer: answer)])
        #expect(texts(transport, 5) == ["a", "c", "d", "e", "e"])
    }

    @Test func anEmptyOneRejects() throws {
        let transport = MemoryTransport(routes: [.get("/x", answer: .sequence([]))])
        let error = try #require(throws: MemoryTransport.AnswerFailure.self) {
            try transport.request(Endpoint(path: "/x")).result?.get()
        }
        #expect(error.code == .emptySequence && error.description.contains("GET /x"))
    }

    @Test func answersAreTakenInTheOrderOfTheCalls() throws {
        let scheduler = ManualScheduler()
        let transport = MemoryTransport(
            routes: [.get("/x", answer: .sequence([.text("a"), .text("b")]))],
            latency: .seconds(1),
            on: scheduler
        )
        let first = transport.request(Endpoint(path: "/x"))
        let second = transport.request(Endpoint(path: "/x"))
        first.cancel()
        scheduler.advance(by: .seconds(1))
        #expect(
            try second.result?.get() == Data("b".utf8),
            "the cancelled call had taken the first"
        )
    }
}
