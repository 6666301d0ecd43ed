import Foundation
import Pledge
import Testing

// snippet: endpoint
struct Book: Codable, Equatable, Sendable {
    var id: Int
    var name: String
}

extension Endpoint {
    static func book(withID id: Int) -> Endpoint {
        Endpoint(path: "/books/\(id)")
    }

    static func search(for words: String, page: Int = 1) -> Endpoint {
        Endpoint(path: "/search?q=\(words)&page=\(page)")
    }
}
// end snippet

/// The code of Docs/Guides/Networking.md.
@Suite struct NetworkingExamples {
    private let book = Book(id: 7, name: "Green Grass")

    private struct Login: Encodable {
        var user: String
        var password: String
    }

    @Test func base() {
        // snippet: base
        let server = URL(string: "https://api.example.com/v1")!
        let search = Endpoint.based(on: server)(.search(for: "50% off & more"))
        // search.url is https://api.example.com/v1/search?q=50%25%20off%20%26%20more&page=1
        // end snippet
        #expect(
            search.url?.absoluteString
                == "https://api.example.com/v1/search?q=50%25%20off%20%26%20more&page=1"
        )
    }

    @Test func baseOfAll() throws {
        let transport = MemoryTransport(routes: [.get("/books/:id", answer: .json(book))])
        let server = URL(string: "https://api.example.com/v1")!
        // snippet: base-of-all
        let api: Networking = chain(Endpoint.based(on: server), to: transport.request)
        // end snippet
        _ = api(.book(withID: 7))
        let url = transport.calls.first?.endpoint.url
        #expect(url?.absoluteString == "https://api.example.com/v1/books/7")
    }

    @Test func paths() {
        let server = URL(string: "https://api.example.com/v1")!
        let text = "/a?b"
        // snippet: paths
        let tenant = "../admin?x=1"
        let items = Endpoint(path: "/\(tenant)/items", base: server)
        // items.url is https://api.example.com/v1/..%2Fadmin%3Fx=1/items

        let file = Endpoint(path: text, base: server)  // all of it is a path: /v1/a%3Fb
        let link = Endpoint(path: .verbatim(text), base: server)  // read as a literal: /v1/a?b
        // end snippet
        #expect(
            [items, file, link].map(\.url?.absoluteString) == [
                "https://api.example.com/v1/..%2Fadmin%3Fx=1/items",
                "https://api.example.com/v1/a%3Fb", "https://api.example.com/v1/a?b",
            ])
    }

    @Test func whole() throws {
        // snippet: whole
        let next = Endpoint(url: URL(string: "https://api.example.com/books?after=7")!)
        // end snippet
        #expect(next.url?.query() == "after=7")
    }

    @Test func bodies() throws {
        let login = Login(user: "me", password: "secret")
        let pixels = Data([1, 2, 3])
        // snippet: bodies
        let json = Endpoint(path: "/login", method: .post, body: try .json(login))
        let form = Endpoint(
            path: "/login",
            method: .post,
            body: .form([URLQueryItem(name: "user", value: "me & you")])
        )
        let image = Endpoint(
            path: "/avatar",
            method: .put,
            headers: ["If-Match": "*"],
            body: .data(pixels, contentType: "image/png")
        )
        // end snippet
        #expect(json.effectiveHeaders["Content-Type"] == "application/json")
        #expect(form.body.data == Data("user=me+%26+you".utf8))
        #expect(image.effectiveHeaders == ["If-Match": "*", "Content-Type": "image/png"])
    }

    @Test func refused() throws {
        // snippet: refused
        let token = "abc\r\nX-Admin: yes"
        let endpoint = Endpoint(path: "/me", headers: ["Authorization": token])

        do {
            _ = try endpoint.validate()
        } catch {
            print(error)  // the header "Authorization" cannot be sent: …
        }
        // end snippet
        let refusal = Endpoint.Error.invalidHeader(name: "Authorization")
        #expect(throws: refusal) { try endpoint.validate() }
        #expect(refusal.description.hasPrefix("the header \"Authorization\" cannot be sent: "))
    }

    @Test func decoded() throws {
        let networking: Networking = { _ in Future(value: Data(#"{"id":7,"name":"x"}"#.utf8)) }
        // snippet: decoded
        let load = chain(Endpoint.book, to: networking)  // (Int) -> Future<Data>
        let loadBook: @Sendable (Int) -> Future<Book> = chain(load, to: Future.decoded)
        let sameBook = chain(load, to: { $0.decoded(as: Book.self, using: JSONDecoder()) })
        // end snippet
        #expect(try loadBook(7).result?.get() == Book(id: 7, name: "x"))
        #expect(try sameBook(7).result?.get() == Book(id: 7, name: "x"))
    }

    private struct Order: Codable, Equatable {
        var productName: String
    }

    private struct Receipt: Codable, Equatable {
        var orderNumber: Int
    }

    @Test func json() throws {
        let order = Order(productName: "Tea")
        let networking: Networking = { _ in Future(value: Data(#"{"order_number":7}"#.utf8)) }
        // snippet: json
        let json = JSONCoding(
            encoding: { $0.keyEncodingStrategy = .convertToSnakeCase },
            decoding: { $0.keyDecodingStrategy = .convertFromSnakeCase })
        let endpoint = Endpoint(path: "/orders", method: .post, body: try .json(order, using: json))
        let receipt: Future<Receipt> = networking(endpoint).decoded(using: json)
        // end snippet
        #expect(endpoint.body.data == Data(#"{"product_name":"Tea"}"#.utf8))
        #expect(try receipt.result?.get() == Receipt(orderNumber: 7))
    }

    @Test func problem() throws {
        let body = #"""
            {"type": "https://shop.example/out-of-credit", "detail": "your balance is 30", "balance": 30}
            """#
        let error = HTTPError(
            code: .unacceptableStatus,
            response: HTTPResponse(
                status: 403, headers: ["Content-Type": "application/problem+json"],
                body: Data(body.utf8)))
        // snippet: problem
        if let problem = error.problem, problem.type == "https://shop.example/out-of-credit" {
            print(problem.detail ?? "")  // your balance is 30
            print(problem.extensions["balance"] == .integer(30))  // true
        }
        // end snippet
        #expect(error.problem?.detail == "your balance is 30")
    }

    @Test func headers() throws {
        // snippet: headers
        let api = stack(
            .defaultHeaders(["Accept": "application/json"]), .userAgent("Shop/2.1"),
            over: URLSession.shared.request)
        // end snippet
        #expect(throws: Endpoint.Error.invalidURL) { try api(Endpoint(path: "/x")).result?.get() }
    }

    @Test func decodingFailure() async throws {
        let networking: Networking = { _ in
            Future(value: Data(#"[{"id":7,"name":"x"},{"id":8}]"#.utf8))
        }
        // snippet: decoding-failure
        let books: Future<[Book]> = networking(Endpoint(path: "/books")).decoded()

        do {
            _ = try await books.value
        } catch let failure as DecodingFailure {
            print(failure)  // Array<Book>[1].name: no value for the key "name" (in 30 bytes)
            print(failure.data.count, failure.cause)
        }
        // end snippet
        let failure = try #require(throws: DecodingFailure.self) { try books.result?.get() }
        #expect(
            failure.description
                == #"Array<Book>[1].name: no value for the key "name" (in 30 bytes)"#
        )
    }

    @Test func httpError() async throws {
        let transport = MemoryTransport(routes: [
            .get("/books/:id", answer: .status(404, body: Data("sold out".utf8)))
        ])
        let networking: Networking = transport.request
        // snippet: http-error
        do {
            _ = try await networking(.book(withID: 7)).value
        } catch let error as HTTPError where error.status == 404 {
            print(error)  // GET /books/7 answered 404 (8 bytes in its body): sold out
            print(error.response?.text ?? "")  // sold out
        }
        // end snippet
        let error = try #require(throws: HTTPError.self) {
            try networking(.book(withID: 7)).result?.get()
        }
        #expect(error.description == "GET /books/7 answered 404 (8 bytes in its body): sold out")
        #expect(error.response?.text == "sold out")
    }
}
