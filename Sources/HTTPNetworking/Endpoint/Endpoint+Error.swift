extension Endpoint {
    /// The reason why an endpoint cannot be sent.
    public enum Error: Swift.Error, Hashable, Sendable {
        /// There is no valid absolute http or https URL.
        case invalidURL
        /// A header's name is not a token, or its value contains a control character.
        case invalidHeader(name: String)
        /// The header is reserved for the transport: Connection, Expect, Keep-Alive, Proxy-Connection, TE,
        /// Trailer, Transfer-Encoding, Upgrade; a second Host, or an invalid one; a Content-Length that is
        /// not the body's length.
        case reservedHeader(name: String)
        /// The method is not a token.
        case invalidMethod(String)
        /// The method carries no body, but there is one.
        case bodyNotAllowed(method: HTTPMethod)
        /// A call has more than one of `json`, `form`, `multipart` and `file`.
        case severalBodies
    }
}

extension Endpoint.Error: CustomStringConvertible {
    /// The problem and what to do; it shows no header's value and no control character.
    public var description: String {
        switch self {
        case .invalidURL:
            """
            there is no valid absolute http or https URL: the scheme must be http or https, with a \
            host and a port up to 65535; an endpoint that is a path needs a base such as \
            https://api.example.com; a path has no "." and ".." segments, not even within a value \
            such as "a/../b", and no empty value as a segment; a whole URL is Endpoint(url:)
            """
        case .invalidHeader(let name):
            """
            the header "\(SafeText.escaped(name))" cannot be sent: a name is made of letters, \
            digits and !#$%&'*+-.^_`|~, and a value holds no control character (CR, LF and NUL \
            among them) other than tab
            """
        case .reservedHeader(let name):
            """
            the header "\(SafeText.escaped(name))" cannot be sent: the transport sets what is about the \
            connection, its framing and its proxy, whose name and password are part of the transport's \
            settings; leave it out. Host may be set once, to a host with or without a \
            port, and Content-Length to the length that the body has
            """
        case .invalidMethod(let method):
            """
            the method "\(SafeText.escaped(method))" cannot be sent: a method is made of letters, \
            digits and !#$%&'*+-.^_`|~
            """
        case .bodyNotAllowed(let method):
            """
            \(method) carries no body: send it with POST, PUT, PATCH or QUERY, or put its values \
            into queryItems
            """
        case .severalBodies: "a call has several bodies: pass one of json, form, multipart and file"
        }
    }
}
