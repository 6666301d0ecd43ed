#if AsyncHTTPClient
import AsyncHTTPClient

/// What AsyncHTTPClient tells of an exchange.
///
/// It is AsyncHTTPClient's alone: the reader of the response holds something else, so that an exchange
/// that is released before it has ended is one that AsyncHTTPClient has dropped.
protocol ResponseDelegate: HTTPClientResponseDelegate where Response == Void {
    /// Ends it with what the caller is to be told.
    func fail(with error: any Error)

    /// Hands over to one that makes the call once more.
    func replaced(for call: RequestAttempt) -> Self?
}
#endif
