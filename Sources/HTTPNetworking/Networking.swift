public import PledgeServices

/// A network: a function from an endpoint to a future of the data.
///
/// ```swift
/// let networking: Networking = URLSession.shared.request
/// ```
///
/// It is a `Service` like any other, so every policy can be put around it.
///
/// It rejects with ``Endpoint/Error`` if the endpoint cannot be sent, with ``HTTPError`` if the
/// exchange failed or the status is outside 200…299. The transport decides on which thread the
/// future settles.
public typealias Networking = Service<Endpoint, Data>
