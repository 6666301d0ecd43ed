/// The method of a request, such as GET or POST.
///
/// A method is an exact word: `"get"` is not `"GET"` (RFC 9110, section 9.1). Any token is a method;
/// ``Endpoint/validate()`` refuses anything else.
public struct HTTPMethod: RawRepresentable {
    /// The word as it is sent.
    public var rawValue: String

    /// Makes a method from any word.
    public init(rawValue: String) { self.rawValue = rawValue }

    /// Asks for a resource.
    ///
    /// Carries no body.
    public static let get = HTTPMethod(rawValue: "GET")
    /// Asks for the headers that GET would answer with.
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
    /// Asks what a resource allows.
    public static let options = HTTPMethod(rawValue: "OPTIONS")
    /// Asks for the request to be sent back.
    ///
    /// Carries no body.
    public static let trace = HTTPMethod(rawValue: "TRACE")
    /// Asks a question that is in the body, safely and repeatably.
    public static let query = HTTPMethod(rawValue: "QUERY")
}

extension HTTPMethod: ExpressibleByStringLiteral {
    /// Makes a method from a literal, as in `"PURGE"`.
    public init(stringLiteral value: String) { self.init(rawValue: value) }
}

extension HTTPMethod: CustomStringConvertible {
    /// The word as it is sent.
    public var description: String { rawValue }
}

extension HTTPMethod: Hashable {}

extension HTTPMethod: Sendable {}
