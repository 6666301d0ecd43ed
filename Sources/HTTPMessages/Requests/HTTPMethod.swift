/// The method of a request, such as GET or POST.
///
/// Methods are case-sensitive: `"get"` is not `"GET"` (RFC 9110, section 9.1). Any token is a method;
/// ``Endpoint/validate()`` refuses anything else.
public struct HTTPMethod: RawRepresentable, Hashable, Sendable {
    /// The word as it is sent.
    public var rawValue: String

    /// Creates a method from any word.
    public init(rawValue: String) { self.rawValue = rawValue }

    /// Asks for a resource.
    ///
    /// Carries no body.
    public static let get = HTTPMethod(rawValue: "GET")
    /// Asks for the headers of the response that GET would get.
    ///
    /// Carries no body.
    public static let head = HTTPMethod(rawValue: "HEAD")
    /// Sends data to a resource.
    public static let post = HTTPMethod(rawValue: "POST")
    /// Replaces a resource.
    public static let put = HTTPMethod(rawValue: "PUT")
    /// Removes a resource.
    public static let delete = HTTPMethod(rawValue: "DELETE")
    /// Changes a part of a resource.
    public static let patch = HTTPMethod(rawValue: "PATCH")
    /// Asks which methods and options a resource allows.
    public static let options = HTTPMethod(rawValue: "OPTIONS")
    /// Asks the server to send the request back.
    ///
    /// Carries no body.
    public static let trace = HTTPMethod(rawValue: "TRACE")
    /// Asks the question that its body contains; safe and idempotent.
    public static let query = HTTPMethod(rawValue: "QUERY")
}

extension HTTPMethod: ExpressibleByStringLiteral {
    /// Creates a method from a literal, as in `"PURGE"`.
    public init(stringLiteral value: String) { self.init(rawValue: value) }
}

extension HTTPMethod: CustomStringConvertible {
    /// The word as it is sent.
    public var description: String { rawValue }
}

extension HTTPMethod {
    /// True if the method asks for no change on the server.
    ///
    /// That holds for GET, HEAD, OPTIONS, TRACE (RFC 9110, section 9.2.1) and QUERY.
    package var isSafe: Bool { Self.safe.contains(self) }

    private static let safe: Set<HTTPMethod> = [.get, .head, .options, .trace, .query]
}

extension HTTPMethod {
    /// True if repeating a request has the same effect on the server as sending it once.
    ///
    /// That holds for GET, HEAD, PUT, DELETE, OPTIONS, TRACE (RFC 9110, section 9.2.2) and QUERY. It is false for every
    /// other method, including unknown ones.
    package var isIdempotent: Bool { Self.idempotent.contains(self) }

    private static let idempotent: Set<HTTPMethod> = [
        .get, .head, .put, .delete, .options, .trace, .query,
    ]
}
