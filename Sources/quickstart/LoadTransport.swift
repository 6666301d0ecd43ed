import Pledge

#if AsyncHTTPClient
import AsyncHTTPClientTransport
#endif

/// Which transport loads a URL.
enum LoadTransport: String, CaseIterable {
    case urlsession
    case ahc

    /// What can be named.
    static let names = allCases.map(\.rawValue).joined(separator: " or ")

    /// Finds a transport by its name.
    init(named name: String) throws(Failure) {
        guard let transport = LoadTransport(rawValue: name) else {
            throw Failure(
                wrongUse: "there is no transport \(Printable.quoted(name)); there are \(Self.names)"
            )
        }
        self = transport
    }

    /// The transport's service.
    func open() throws(Failure) -> HTTPService {
        switch self {
        case .urlsession: return SessionTransport().send
        case .ahc:
            #if AsyncHTTPClient
            return AHCTransport.shared.send
            #else
            throw Failure(
                wrongUse: "this build has no AsyncHTTPClient; "
                    + "use swift run --traits AsyncHTTPClient quickstart")
            #endif
        }
    }
}
