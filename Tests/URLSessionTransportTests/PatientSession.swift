import Foundation
import TestSupport

#if canImport(FoundationNetworking)
import FoundationNetworking
#endif

extension URLSession {
    /// A session that only the ``watchdog`` ends.
    static let patient = URLSession(configuration: .patient)
}

extension URLSessionConfiguration {
    /// An ephemeral session with no limit but the ``watchdog``.
    static var patient: URLSessionConfiguration {
        let configuration = URLSessionConfiguration.ephemeral
        configuration.timeoutIntervalForRequest = TimeInterval(watchdog.components.seconds)
        return configuration
    }
}
