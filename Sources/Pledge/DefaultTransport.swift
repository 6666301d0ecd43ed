package import PledgeHTTPTransportKit
import PledgeLibcurlTransport
import PledgeURLSessionTransport

/// The transport of a client that doesn't name one.
package enum DefaultTransport: String, Sendable {
    /// `CurlTransport`, over the system's libcurl.
    case curl
    /// `SessionTransport`, over URLSession.
    case urlsession

    /// The default on this system: libcurl on Linux if a usable one is found, otherwise URLSession.
    ///
    /// A process looks libcurl up only once.
    package static var ofThisSystem: DefaultTransport {
        #if os(Linux)
        if (try? CurlLibrary.lookUp()) != nil { return .curl }
        #endif
        return .urlsession
    }

    /// Creates a transport with its own connections and default limits.
    package func make() -> any HTTPTransport {
        switch self {
        case .curl: CurlTransport()
        case .urlsession: SessionTransport()
        }
    }
}
