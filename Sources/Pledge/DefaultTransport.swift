public import HTTPNetworking
import LibcurlTransport
import URLSessionTransport

/// Which transport a client has that names none.
public enum DefaultTransport: String {
    /// `CurlTransport`, over the system's libcurl.
    case curl
    /// `SessionTransport`, over URLSession.
    case urlsession

    /// What this system has: on Linux libcurl, where one is found that can be used; URLSession elsewhere.
    ///
    /// libcurl is looked up once in a process.
    public static var ofThisSystem: DefaultTransport {
        #if os(Linux)
        if (try? CurlLibrary.lookUp()) != nil { return .curl }
        #endif
        return .urlsession
    }

    /// Makes a transport with connections of its own, and the limits that it has by default.
    public func make() -> any HTTPTransport {
        switch self {
        case .curl: CurlTransport()
        case .urlsession: SessionTransport()
        }
    }
}

extension DefaultTransport: Sendable {}
