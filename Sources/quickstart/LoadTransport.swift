import Pledge

#if AsyncHTTPClient
import PledgeAsyncHTTPClientTransport
#endif

/// The transport that loads a URL.
enum LoadTransport: String, CaseIterable {
    case curl
    case urlsession
    case ahc

    /// The names of all transports.
    static let names = allCases.map(\.rawValue).joined(separator: ", ")

    /// The default transport of a client.
    static var ofThisSystem: LoadTransport {
        switch DefaultTransport.ofThisSystem {
        case .curl: .curl
        case .urlsession: .urlsession
        }
    }

    /// Finds a transport by its name.
    init(named name: String) throws(Failure) {
        guard let transport = LoadTransport(rawValue: name) else {
            throw Failure(
                wrongUse: "there is no transport \(Printable.quoted(name)); there are \(Self.names)"
            )
        }
        self = transport
    }

    /// A short description.
    var words: String {
        switch self {
        case .curl: "curl (libcurl \((try? CurlLibrary.lookUp().version) ?? "not found"))"
        case .urlsession: "urlsession (URLSession)"
        case .ahc: "ahc (AsyncHTTPClient)"
        }
    }

    /// The transport's service.
    func open() throws -> HTTPStreamingService {
        switch self {
        case .curl:
            _ = try CurlLibrary.lookUp()
            return CurlTransport().stream
        case .urlsession: return SessionTransport().stream
        case .ahc:
            #if AsyncHTTPClient
            return AHCTransport.shared.stream
            #else
            throw Failure(
                wrongUse: "this build has no AsyncHTTPClient; "
                    + "use swift run --traits AsyncHTTPClient quickstart")
            #endif
        }
    }
}
