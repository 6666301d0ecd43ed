// swift-format-ignore-file: AllPublicDeclarationsHaveDocumentation
// With the signatures of Apple's SDK, which has no Sendable here, and with empty bodies.

public protocol Publisher<Output, Failure> {
    associatedtype Output
    associatedtype Failure: Error

    func receive<S: Subscriber>(subscriber: S) where S.Input == Output, S.Failure == Failure
}

public protocol Subscriber<Input, Failure> {
    associatedtype Input
    associatedtype Failure: Error

    func receive(subscription: any Subscription)
    func receive(_ input: Input) -> Subscribers.Demand
    func receive(completion: Subscribers.Completion<Failure>)
}

public protocol Cancellable { func cancel() }

/// Without what a scheduler does.
public protocol Scheduler<SchedulerTimeType> { associatedtype SchedulerTimeType }

public protocol Subscription: Cancellable { func request(_ demand: Subscribers.Demand) }

public enum Subscribers {
    @frozen public struct Demand: Equatable, Comparable, Sendable {
        public static let unlimited = Demand()
        public static let none = Demand()

        public static func max(_ value: Int) -> Demand { Demand() }
        public static func < (one: Demand, other: Demand) -> Bool { false }
    }

    @frozen public enum Completion<Failure: Error> { case finished, failure(Failure) }
}

extension Subscribers.Completion: Sendable {}

public final class AnyCancellable: Cancellable, Hashable {
    public init(_ cancel: @escaping () -> Void) {}
    public init<C: Cancellable>(_ canceller: C) {}
    public func cancel() {}
    public func hash(into hasher: inout Hasher) {}
    public static func == (one: AnyCancellable, other: AnyCancellable) -> Bool { one === other }
}

@frozen public struct AnyPublisher<Output, Failure: Error>: Publisher {
    public init<P: Publisher>(_ publisher: P) where P.Output == Output, P.Failure == Failure {}
}

public struct Deferred<P: Publisher>: Publisher {
    public typealias Output = P.Output
    public typealias Failure = P.Failure

    public init(createPublisher: @escaping () -> P) {}
}

public struct Just<Output>: Publisher {
    public typealias Failure = Never

    public init(_ output: Output) {}
}

public struct Fail<Output, Failure: Error>: Publisher { public init(error: Failure) {} }

public struct Empty<Output, Failure: Error>: Publisher {
    public init(completeImmediately: Bool = true) {}
}

public final class Future<Output, Failure: Error>: Publisher {
    public typealias Promise = (Result<Output, Failure>) -> Void

    public init(_ attemptToFulfill: @escaping (@escaping Promise) -> Void) {}
}

public final class PassthroughSubject<Output, Failure: Error>: Publisher {
    public init() {}
    public func send(_ input: Output) {}
    public func send(completion: Subscribers.Completion<Failure>) {}
}

extension Publisher {
    public func receive<S: Subscriber>(subscriber: S)
    where S.Input == Output, S.Failure == Failure {}
    public func subscribe<S: Subscriber>(_ subscriber: S)
    where S.Input == Output, S.Failure == Failure {}
    public func eraseToAnyPublisher() -> AnyPublisher<Output, Failure> { fatalError() }
    public func map<T>(_ transform: @escaping (Output) -> T) -> AnyPublisher<T, Failure> {
        fatalError()
    }
    public func first() -> AnyPublisher<Output, Failure> { fatalError() }
    public func handleEvents(
        receiveSubscription: ((any Subscription) -> Void)? = nil,
        receiveOutput: ((Output) -> Void)? = nil,
        receiveCompletion: ((Subscribers.Completion<Failure>) -> Void)? = nil,
        receiveCancel: (() -> Void)? = nil,
        receiveRequest: ((Subscribers.Demand) -> Void)? = nil
    ) -> AnyPublisher<Output, Failure> { fatalError() }
    public func sink(
        receiveCompletion: @escaping (Subscribers.Completion<Failure>) -> Void,
        receiveValue: @escaping (Output) -> Void
    ) -> AnyCancellable { fatalError() }
}

public protocol ObservableObject: AnyObject {}
