public import PledgeFutures
public import PledgeHTTPNetworking
import PledgeServices

extension MemoryTransport {
    /// Answers a request by the routes, with any status.
    ///
    /// It is an `HTTPService`.
    ///
    /// ```swift
    /// let transport = MemoryTransport(routes: [.get("/a", answer: .status(304))])
    /// let service: HTTPService = stack(.redirect(), over: transport.send)
    /// ```
    ///
    /// It behaves as ``request(_:)``, except for the status. A body in a file is read before this returns; a body in a stream is read to its end first, and the call
    /// is recorded then. Routes match the URL's whole path, without that of `base`. A request whose body cannot
    /// be read rejects with an `HTTPError` with the code `bodyUnreadable`, whose cause is what the source
    /// threw; a stream of another length than announced with the code `bodyLengthMismatch`.
    ///
    /// - Returns: A future of the response. Without a URL in the answer it has the request's URL. Its timing
    ///   is measured on the scheduler.
    public func send(_ request: HTTPRequest) -> Future<HTTPResponse> {
        let start = scheduler.now
        let limit = CallLimit(CallContext.current.deadline, of: request)
        return CallContext.current.exchange(request) {
            bytes(of: request)
                .flatMap { body in
                    self.respond(to: Endpoint(request, body: body), request, within: limit)
                }
                .ending(within: limit)
        }
        .mapWithoutOrigin { [scheduler] response in
            var response = response
            response.url = response.url ?? request.url
            let total = start.duration(to: scheduler.now)
            response.timing = HTTPTiming(untilHeaders: total, total: total)
            response.request = request
            return response
        }
        .mapError { $0.naming(request) }
    }

    /// Answers a request by the routes, with a streamed body.
    ///
    /// It is an `HTTPStreamingService`, and otherwise the same as ``send(_:)``: the response comes when all of its
    /// body is there.
    public func stream(_ request: HTTPRequest) -> Future<HTTPStreamedResponse> {
        send(request).mapWithoutOrigin { response in
            HTTPStreamedResponse(response, body: HTTPBodyStream(response.body))
        }
    }

    private func respond(
        to endpoint: Endpoint, _ request: HTTPRequest, within limit: CallLimit?
    ) -> Future<HTTPResponse> {
        respond(to: endpoint, request, within: limit) { () throws(Endpoint.Error) in
            try RequestTarget(of: request, under: base)
        }
    }

    private func bytes(of request: HTTPRequest) -> Future<Data?> {
        switch request.body.content {
        case .none: return Future(value: nil)
        case .data(let data): return Future(value: data)
        // A request that is refused does not use up a body that can be sent once.
        case _ where (try? request.validate()) == nil: return Future(value: nil)
        case .file(let url):
            do { return Future(value: try Data(contentsOf: url)) } catch {
                return Future(error: HTTPError.unreadable(url, cause: error).naming(request))
            }
        case .stream:
            let record = CallContext.current.record
            record?.begin(.upload, on: scheduler)
            do {
                return try request.body.open().collected(upTo: .max).mapWithoutOrigin { $0 }
                    .mapError(HTTPError.failure(ofBody:))
                    .onEnd { _ in record?.end(.upload) }
            } catch {
                record?.end(.upload)
                return Future(error: HTTPError.failure(ofBody: error))
            }
        }
    }
}

extension Endpoint {
    /// An endpoint that would send the same as a request, with its body in memory.
    fileprivate init(_ request: HTTPRequest, body: Data?) {
        self.init(separating: request.url)
        method = request.method
        headers = request.effectiveHeaders
        let type = request.body.contentType ?? ""
        self.body = body.map { .data($0, contentType: type) } ?? .none
    }
}
