public import PledgeHTTPTransportKit
import PledgeLibcurlTransport
import PledgeURLSessionTransport

/// The transport of a client that doesn't name one.
public enum DefaultTransport: String, Sendable {
    /// `CurlTransport`, over the system's libcurl.
    case curl
    /// `SessionTransport`, over URLSession.
    case urlsession

    /// The default on this system: libcurl on Linux if a usable one is found, otherwise URLSession.
    ///
    /// A process looks libcurl up only once.
    public static var ofThisSystem: DefaultTransport {
        #if os(Linux)
        if (try? CurlLibrary.lookUp()) != nil { return .curl }
        #endif
        return .urlsession
    }

    /// Creates a transport with its own connections and default limits.
    public func make() -> any HTTPTransport {
        switch self {
        case .curl: CurlTransport()
        case .urlsession: SessionTransport()
        }
    }
}
