#if AsyncHTTPClient
import AsyncHTTPClient

/// The receiver of AsyncHTTPClient's events of an exchange.
///
/// Only AsyncHTTPClient keeps it; the reader of the response holds another object. So if a delegate is
/// released before the exchange has ended, AsyncHTTPClient has dropped the exchange.
protocol ResponseDelegate: HTTPClientResponseDelegate where Response == Void {
    /// Fails the exchange with the error that the caller gets.
    func fail(with error: any Error)

    /// Passes the exchange on to a delegate for the repeated call.
    func replaced(for call: RequestAttempt) -> Self?
}
#endif
