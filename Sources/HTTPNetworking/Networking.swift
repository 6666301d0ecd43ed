public import Services

/// A network: a function from what is asked for to a future of the data.
///
/// ```swift
/// let networking: Networking = URLSession.shared.request
/// ```
///
/// It is a `Service` like any other, so every policy can be put around it.
///
/// It rejects with ``Endpoint/Error`` where the endpoint cannot be sent, with ``HTTPError`` where
/// the exchange failed or the status lies outside 200…299. On which thread the future settles is
/// the transport's to say.
public typealias Networking = Service<Endpoint, Data>
