#if canImport(FoundationEssentials)
public import FoundationEssentials
#else
public import Foundation
#endif

/// What a server answered: a status, headers, and a body.
public struct HTTPResponse {
    /// The status code, such as 200 or 404.
    public var status: Int

    /// The headers, in the order in which they came.
    public var headers: HTTPHeaders

    /// The body, empty where there was none.
    public var body: Data

    /// Makes a response.
    public init(status: Int, headers: HTTPHeaders = [:], body: Data = Data()) {
        self.status = status
        self.headers = headers
        self.body = body
    }

    /// The body read as UTF-8, with U+FFFD for each part that is none.
    public var text: String { String(decoding: body, as: UTF8.self) }

    /// The body where the status lies in 200…299.
    ///
    /// Every transport decides by this what succeeds, so that all of them reject alike.
    ///
    /// - Parameter endpoint: What was asked for, to be kept in the error.
    /// - Throws: An ``HTTPError`` with the code ``HTTPError/Code/unacceptableStatus`` that keeps
    ///   the whole response.
    public func acceptedBody(for endpoint: Endpoint) throws(HTTPError) -> Data {
        guard (200...299).contains(status) else {
            throw HTTPError(code: .unacceptableStatus, endpoint: endpoint, response: self)
        }
        return body
    }
}

extension HTTPResponse: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
    /// The status and the size of the body, but nothing of what the body says.
    public var description: String { "\(status), \(headers), body of \(body.count) bytes" }

    /// The same as `description`, so that a debugger prints no secret either.
    public var debugDescription: String { description }

    /// A mirror that shows the size of the body in its place.
    public var customMirror: Mirror {
        Mirror(self, children: ["status": status, "headers": headers, "bodyBytes": body.count])
    }
}

extension HTTPResponse: Hashable {}

extension HTTPResponse: Sendable {}
