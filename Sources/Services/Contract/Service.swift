public import PledgeFutures

/// A function from an input to the future of an output: a network, a loader, a step of either.
///
/// ```swift
/// let loadProduct: Service<Product.ID, Product> = chain(Endpoint.product, to: api)
/// ```
///
/// The type is an alias, so any function that fits is a service: a closure, a method such as
/// `transport.send`, a composition of others. A ``Middleware`` makes another service from one.
public typealias Service<Input: Sendable, Output: Sendable> = @Sendable (Input) -> Future<Output>
